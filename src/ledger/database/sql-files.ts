/**
 * Statements that stand in a file of SQL beside the code that asks them:
 *
 *     -- name: rigsOf ($1: account)
 *     -- row: id integer, name text
 *     SELECT id, name FROM rig WHERE account_id = $1;
 *
 * A test asks a real PostgreSQL for the columns of each, and finds where its line says otherwise.
 */
import { readFileSync } from 'node:fs';

/** Read once, where a module is loaded. Throws where a name is missing. */
export function statementsOf<Name extends string>(file: URL, names: readonly Name[]): Record<Name, string> {
  const found = parseStatements(readFileSync(file, 'utf8'));
  const wanted = names.map((name): [Name, string] => {
    const text = found.get(name);
    if (text === undefined) throw new Error(`${file.pathname} has no statement ${name}`);
    return [name, text];
  });
  return Object.fromEntries(wanted) as Record<Name, string>;
}

export function parseStatements(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^-- name: (?=\w)/m);
  return new Map(
    parts.map((part): [string, string] => {
      const end = part.indexOf('\n');
      return [/^\w+/.exec(part)?.[0] ?? '', part.slice(end + 1).trim()];
    }),
  );
}
