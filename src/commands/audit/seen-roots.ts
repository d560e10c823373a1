/** Roots that were shown before, to whomever: a line of JSON each, with number, key and text. */
import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CommandError } from '../../cli/line/command.js';
import type { Findings, KnownRoot } from '../../core/audit/judge.js';

const LINE = z.object({ number: z.int(), key: z.string(), text: z.string() });
type Seen = z.output<typeof LINE>;

/** Adds those that are new, and finds where one is another than was shown before. */
export async function compareRoots(
  path: string,
  roots: readonly KnownRoot[],
  findings: Findings,
): Promise<void> {
  const seen = new Map((await seenIn(path)).map((root) => [root.number, root]));
  const news: Seen[] = [];
  for (const { number, key, text } of roots) {
    const before = seen.get(number);
    if (before && (before.text !== text || before.key !== key))
      findings.push(`root ${number} is another one than in ${path}: not all are shown the same`);
    if (!before) news.push({ number, key, text });
  }
  const lines = news.reverse().map((root) => `${JSON.stringify(root)}\n`);
  await appendFile(path, lines.join(''), { mode: 0o600 });
}

async function seenIn(path: string): Promise<Seen[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new CommandError(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  return text.split('\n').flatMap((line, i) => {
    if (line === '') return [];
    const read = LINE.safeParse(parsed(line));
    if (read.success) return [read.data];
    throw new CommandError(`${path}, line ${i + 1} is no root as \`audit --roots\` keeps them`);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
