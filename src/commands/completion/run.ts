import { type Asked, type Command, OK } from '../../cli/line/command.js';
import { candidatesFor } from '../../cli/line/completion/candidates.js';
import { SCRIPTS, type Shell } from '../../cli/line/completion/scripts.js';

export async function print(shell: Shell, { io }: Asked): Promise<number> {
  io.stdout.write(SCRIPTS[shell]);
  return OK;
}

/** A line for each candidate: the word, a tab, what it means. */
export async function answer(root: Command, { words, io }: Asked): Promise<number> {
  const found = candidatesFor(root, words);
  const lines =
    typeof found === 'string' ? [`:${found}`] : found.map(({ word, about }) => `${word}\t${about}`);
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return OK;
}
