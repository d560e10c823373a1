/** A bridge on sockets that systemd's own program opened. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../until.js';
import { type Program, startProgram } from './program.js';

/** Starts a bridge, and when `again` is there another one: both on the sockets that the shell was given. */
const KEEPER = `
for start in 1 2; do
  sh -c 'echo $$ > "$0"; LISTEN_PID=$$ exec "$@"' "$0/pid" "$@"
  until [ "$start" = 2 ] || [ -e "$0/again" ]; do sleep 0.1; done
done`;

export interface Activated extends AsyncDisposable {
  readonly program: Program;
  tellBridge(signal: NodeJS.Signals): Promise<void>;
  stopBridge(): Promise<void>;
  startAgain(): Promise<void>;
}

/** A bridge that systemd's own program starts at the first connection, and a shell that keeps the sockets as systemd does. */
export async function startActivated(
  folder: string,
  addresses: readonly [tcp: string, ws: string, web: string],
  args: readonly string[],
): Promise<Activated> {
  const listen = addresses.flatMap((address) => ['-l', address]);
  const by = ['systemd-socket-activate', ...listen, '--fdname=tcp:ws:web', 'sh', '-c', KEEPER, folder];
  const program = startProgram(args, {}, undefined, by);
  await until('all three listen', () => program.stderr().match(/Listening on/g)?.length === 3);
  const tellBridge = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(await bridgeIn(folder), signal);
  };
  const stopBridge = async (): Promise<void> => {
    const before = stopped();
    await tellBridge('SIGTERM');
    await until('the bridge ends', () => stopped() > before);
  };
  const stopped = (): number =>
    program.lines.filter(({ event, process }) => event === 'stopped' && process === undefined).length;
  return {
    program,
    tellBridge,
    stopBridge,
    startAgain: () => writeFile(join(folder, 'again'), ''),
    async [Symbol.asyncDispose]() {
      // The shell first, which would start the next one.
      program.kill('SIGKILL');
      await killBridge(folder);
      await program.ended;
    },
  };
}

/** What a test leaves behind that failed. */
async function killBridge(folder: string): Promise<void> {
  try {
    process.kill(await bridgeIn(folder), 'SIGKILL');
  } catch (error) {
    // It has ended, or it was never started.
    if (!['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function bridgeIn(folder: string): Promise<number> {
  return Number(await readFile(join(folder, 'pid'), 'utf8'));
}
