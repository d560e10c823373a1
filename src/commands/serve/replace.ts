/** `serve --replace`: new starts take the place of the bridges that run with this data directory, one after the other. */
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, type CommandIo, OK } from '../../cli/line/command.js';
import { type Replacement, replacement, replace as replaceOrder } from '../../operations/replace.js';
import { askBridge, silenceOf } from '../ctl/bridge.js';

const AGAIN_MS = 500;
/** Longer than none of the bridges listens where one goes and another comes. */
const SILENCE_MS = 60_000;

/** Resolves with the exit code; `undefined` where no bridge runs there. */
export async function replace(dataDir: string, { stdout }: CommandIo): Promise<number | undefined> {
  const say = (words: string): void => void stdout.write(`${words}\n`);
  const begun = await orNobody(() =>
    askBridge(
      dataDir,
      async (ask) => (await ask(replaceOrder.output, replaceOrder.method, replaceOrder.path)).read,
    ),
  );
  if (!begun) return undefined;
  say(
    `Replacing ${begun.bridges} ${begun.bridges === 1 ? 'bridge' : 'bridges'}: each new one starts, then an old one drains`,
  );
  let heardAtMs = performance.now();
  for (let last = begun; ; ) {
    await pause(AGAIN_MS);
    // Each time anew: the one that was asked last may have gone.
    const heard = await orNobody(() =>
      askBridge(dataDir, async (ask) => (await ask(replacement.output, 'GET', replacement.path)).read),
    );
    if (!heard && performance.now() - heardAtMs > SILENCE_MS)
      throw new CommandError(
        `no bridge listens any more: ${last.replaced} of ${last.bridges} were replaced; \`stratum-bridge status\` and the log say what runs`,
      );
    if (!heard) continue;
    heardAtMs = performance.now();
    if (heard.replaced > last.replaced) say(`${heard.replaced} of ${heard.bridges} replaced`);
    last = heard;
    if (heard.state !== 'underWay') return endOf(heard);
  }
}

function endOf({ state, why }: Replacement): number {
  if (state === 'done') return OK;
  throw new CommandError(why ?? 'the bridges were not replaced: the log of the primary says why');
}

/** `undefined` where nobody listens, or the bridge that was asked ended before it answered. */
async function orNobody<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (silenceOf(error) === undefined) throw error;
    return undefined;
  }
}
