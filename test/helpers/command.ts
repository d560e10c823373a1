/** A command in this process: its words in, what it prints and its exit code out. */
import { Writable } from 'node:stream';
import type { Command, CommandIo } from '../../src/commands/command.js';
import { runCommand } from '../../src/commands/run.js';

export async function runHere(
  name: string,
  command: Command,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; text: string; stderr: string }> {
  const [stdout, stderr] = [collector(), collector()];
  const io = { env, stdout: stdout.stream, stderr: stderr.stream } as unknown as CommandIo;
  const code = await runCommand(name, command, argv, io);
  return { code, text: stdout.text().trimEnd(), stderr: stderr.text() };
}

/** No terminal: what is written is JSON. */
function collector(): { stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}
