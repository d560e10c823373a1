/** The page of the API's reference, without scripts. It is made when the program is built (`.ci/assets.js`). */
import type { Access } from '../../../operations/enums.js';
import type { Document, JsonSchema, Operation, Parameter } from './document.js';

/** Text that is HTML already. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** What is put in is text, and is escaped, unless it was made by this. */
function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((whole, string, i) => whole + textOf(parts[i - 1] ?? '') + string));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function page({ info, tags = [], paths, components }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = tags.map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    return html`<h2 id="${name}">${description || name}</h2>${own.map(showOperation)}`;
  });
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      html`<section id="${name}"><h3>${name}</h3>${paragraph(schema.description)}${fieldsOf(schema)}</section>`,
  );
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>API of ${info.title} ${info.version}</title>
<link rel="stylesheet" href="/api/reference.css">
<main>
<h1>API of ${info.title} ${info.version}</h1>
<p>For programs the same is in <a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav>${tags.map(({ name }) => html`<a href="#${name}">${name}</a> `)}<a href="#schemas">schemas</a></nav>
${groups}
<h2 id="schemas">Schemas</h2>
${schemas}
</main>
</html>
`.text;
}

const FOR: Readonly<Record<Access, string>> = {
  anonymous: 'For everybody',
  miner: 'With access read; what a miner may see of it is for everybody where web.public is set',
  read: 'With access read',
  operate: 'With access operate',
  approve: 'With access approve',
  admin: 'With access admin',
};

function showOperation({
  path,
  method,
  operation: { summary = '', description, parameters = [], requestBody, responses, 'x-access': access },
}: {
  path: string;
  method: string;
  operation: Operation;
}): Html {
  const { schema: asked, example } = requestBody?.content['application/json'] ?? {};
  return html`<section>
<h3><code>${method} ${path}</code></h3>
<p>${summary}.</p>${paragraph(description)}${paragraph(access && FOR[access])}
${parameters.length > 0 ? html`<table><tr><th>parameter<th>type<th></tr>${parameters.map(showParameter)}</table>` : ''}
${asked ? html`<p>Takes ${typeOf(asked)}</p>${fieldsOf(asked)}${shownExample(example)}` : ''}
${Object.entries(responses).map(([status, { content }]) => showAnswer(status, content?.['application/json']))}
</section>`;
}

function showParameter({ name, description = '', schema }: Parameter): Html {
  const byDefault = schema.default === undefined ? '' : `, default ${String(schema.default)}`;
  return html`<tr><td><code>${name}</code><td>${typeOf(schema)}${byDefault}<td>${description}</tr>`;
}

function showAnswer(
  status: string,
  { schema, example }: { schema?: JsonSchema; example?: unknown } = {},
): Html {
  return html`<p>${status}: ${schema ? typeOf(schema) : 'no body'}</p>${schema ? fieldsOf(schema) : ''}${shownExample(example)}`;
}

function shownExample(example: unknown): Html | '' {
  return example === undefined ? '' : html`<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>`;
}

function paragraph(text: string | undefined): Html {
  return text ? html`<p>${text}.</p>` : html``;
}

/** A table of the fields of an object that has no name. */
function fieldsOf({ properties, required = [] }: JsonSchema): Html {
  if (!properties) return html``;
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      html`<tr><td><code>${name}</code>${required.includes(name) ? '' : ' (optional)'}<td>${typeOf(schema)}<td>${schema.description ?? ''}</tr>`,
  );
  return html`<table><tr><th>field<th>type<th></tr>${rows}</table>`;
}

function typeOf(schema: JsonSchema): Html {
  const { $ref, type, format, items, anyOf, oneOf, additionalProperties, minimum, maximum } = schema;
  if ($ref) {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#${name}">${name}</a>`;
  }
  const choices = anyOf ?? oneOf;
  if (choices) return joined(choices.map(typeOf));
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (schema.enum) return html`${schema.enum.map((each) => JSON.stringify(each)).join(' or ')}`;
  if (items) return html`array of ${typeOf(items)}`;
  if (typeof additionalProperties === 'object')
    return html`object of ${typeOf(additionalProperties)} by name`;
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return html`${format ?? type ?? 'anything'}${isBounded ? ` from ${minimum} to ${maximum}` : ''}`;
}

function joined(types: readonly Html[]): Html {
  return new Html(types.map(({ text }) => text).join(' or '));
}

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 }
main { max-width: 60rem; margin: 0 auto; padding: 1rem }
nav a { margin-right: 1rem }
section { border-top: 1px solid #8886; padding-bottom: 1rem; overflow-x: auto }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }
pre { background: #8882; padding: 1rem; overflow: auto; max-height: 24rem }
`;
