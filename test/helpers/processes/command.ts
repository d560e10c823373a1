/** A command in this process, on a terminal or not: its words in, what it prints and its exit code out. */
import { Writable } from 'node:stream';
import type { CommandIo } from '../../../src/cli/line/command.js';
import { runLine } from '../../../src/cli/line/run.js';
import { ROOT } from '../../../src/commands/commands.js';

export async function runHere(
  name: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  terminal?: { readonly columns: number; readonly written?: (text: string) => void },
  /** All that it has said so far, each time that it says more. */
  said?: (stderr: string) => void,
): Promise<{ code: number; text: string; stderr: string }> {
  const { columns, written } = terminal ?? {};
  const [stdout, stderr] = [collector(written), collector(said)];
  if (terminal) Object.assign(stdout.stream, { isTTY: true, columns });
  const io = { env, stdout: stdout.stream, stderr: stderr.stream } as unknown as CommandIo;
  const code = await runLine({ root: ROOT, version: 'test' }, [name, ...argv], io);
  return { code, text: stdout.text().trimEnd(), stderr: stderr.text() };
}

/** No terminal by itself: what is written is JSON. */
function collector(written?: (text: string) => void): { stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      written?.(text);
      done();
    },
  });
  return { stream, text: () => text };
}
