/** Answers of the API against its document. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import type { Document, JsonSchema } from '../../../src/web/api/document/document.js';

/** Fails where an answer is not as the document says. */
export class DocumentCheck {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: Document) {
    this.#document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: 'document' });
  }

  /** @param path as the document writes it, with its parts in braces. */
  answer(method: string, path: string, status: number, body: unknown): void {
    const operation =
      this.#document.paths[path]?.[method.toLowerCase()] ?? expect.fail(`no ${method} ${path}`);
    const schema =
      operation.responses[String(status)]?.content?.['application/json']?.schema ??
      expect.fail(`${method} ${path} gives no ${status} in the document: ${JSON.stringify(body)}`);
    this.#check(`${method} ${path}`, schema, body);
  }

  /** The same for what an operation takes. */
  question(method: string, path: string, body: unknown): void {
    const asked = this.#document.paths[path]?.[method.toLowerCase()]?.requestBody;
    const schema =
      asked?.content['application/json']?.schema ?? expect.fail(`${method} ${path} takes nothing`);
    this.#check(`${method} ${path}`, schema, body);
  }

  #check(name: string, schema: JsonSchema, body: unknown): void {
    const fits = this.#ajv.compile(placed(schema));
    expect(fits(body), `${name}: ${this.#ajv.errorsText(fits.errors)}`).toBe(true);
  }
}

/** References lead into the document. */
function placed(schema: JsonSchema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')) as object;
}
