/** Lines of `events.file`, each held against the schema that is shipped. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { SCHEMA_FILE } from '../tools/events-schema.js';

export interface EventLine {
  readonly key: string;
  readonly kind: string;
  readonly says: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly instance: number | null;
  readonly by: string | null;
}

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const SCHEMA = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));
const fits = ajv.compile(SCHEMA);

/** Whole lines of all files of this folder, in order. Throws for one that is not as the schema says. */
export function readEventLines(folder: string): EventLine[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
  return texts.flat().map((text) => {
    const line = JSON.parse(text) as EventLine;
    if (!Object.hasOwn(SCHEMA.$defs, line.kind)) throw new Error(`${text}: the schema has no such kind`);
    if (!fits(line)) throw new Error(`${text}: ${ajv.errorsText(fits.errors)}`);
    return line;
  });
}
