/** `serve --replace`: another start takes the place of the bridge that runs with this data directory. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CommandError, type CommandIo, OK } from '../../cli/line/command.js';
import { replace as replaceOrder } from '../../operations/drain.js';
import { type AskedBridge, askBridge, silenceOf } from '../ctl/bridge.js';

const AGAIN_MS = 200;
const UP_MS = 60_000;

const LIFE = z.object({
  startedAt: z.string(),
  version: z.string(),
  sessions: z.number(),
  ports: z.array(z.unknown()),
});
type Life = z.output<typeof LIFE>;

/** Resolves with the exit code; `undefined` where no bridge runs there. */
export async function replace(dataDir: string, { stdout }: CommandIo): Promise<number | undefined> {
  const say = (words: string): void => void stdout.write(`${words}\n`);
  try {
    return await askBridge(dataDir, async (ask) => {
      const before = (await ask(LIFE, 'GET', '/api/v1/summary')).read;
      const { pid } = (await ask(replaceOrder.output, replaceOrder.method, replaceOrder.path)).read;
      say(`Process ${pid} has checked its settings, and takes the place of version ${before.version}`);
      const { version, sessions } = await untilUp(ask, before);
      say(`Version ${version} is up; ${sessions} sessions are open`);
      return OK;
    });
  } catch (error) {
    if (silenceOf(error) !== 'nobody') throw error;
    return undefined;
  }
}

async function untilUp(ask: AskedBridge['ask'], before: Life): Promise<Life> {
  const untilMs = performance.now() + UP_MS;
  while (performance.now() < untilMs) {
    await pause(AGAIN_MS);
    const life = await ask(LIFE, 'GET', '/api/v1/summary').catch((error: unknown) => {
      // Between the two of them nobody answers.
      if (silenceOf(error) === undefined) throw error;
    });
    if (life && isUp(life.read, before)) return life.read;
  }
  throw new CommandError('the new start is not up after a minute: its log says why');
}

/** Its web answers before its ports of rigs are open. */
function isUp({ startedAt, ports }: Life, before: Life): boolean {
  return startedAt !== before.startedAt && (ports.length > 0 || before.ports.length === 0);
}
