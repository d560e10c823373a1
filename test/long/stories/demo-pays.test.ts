/** The demo pays on chain by itself: soon after its first start, and after another one once it has waited. */
import { describe, expect, it } from 'vitest';
import type { PayerView } from '../../../src/operations/payer/payer-view.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { startDemo } from '../../helpers/stories/demo.js';
import { until } from '../../helpers/until.js';

/** Six blocks of a chain, whose difficulty grows up to one in half a minute. */
const BLOCKS_MS = 600_000;

async function ledger(dataDir: string, ...words: string[]): Promise<string> {
  return (await runHere('ledger', [...words, '--json', '--data-dir', dataDir])).text;
}

async function statesOf(dataDir: string): Promise<string[]> {
  const rows = JSON.parse(await ledger(dataDir, 'payout', 'transactions')) as { state: string }[];
  return rows.map(({ state }) => state);
}

async function payerOf(dataDir: string): Promise<PayerView | undefined> {
  return (JSON.parse(await ledger(dataDir, 'payout', 'status')) as PayerView[])[0];
}

describe.skipIf(process.platform !== 'linux')('the demo', () => {
  it('pays its miner on chain, and waits after its next start', async () => {
    await using folder = await temporaryFolder();
    await using demo = startDemo(folder.path, {}, 'always');
    await demo.ready();
    const isPaid = async (): Promise<boolean> => (await statesOf(folder.path)).includes('paid');
    await until('a payment is in a block at the depth', isPaid, BLOCKS_MS);
    demo.kill('SIGTERM');
    expect(await demo.ended).toBe(0);
    await using next = startDemo(folder.path);
    await next.ready();
    const payer = await until('it has taken the role', async () => {
      const view = await payerOf(folder.path);
      return view?.isPaying ? view : undefined;
    });
    expect(payer).toMatchObject({ isReady: false, waitsUntil: expect.any(String), pauses: [] });
    expect(payer.words.join()).toContain('nothing is paid until blocks of ');
    next.kill('SIGTERM');
    expect(await next.ended).toBe(0);
    expect(await ledger(folder.path, 'verify')).not.toContain('"passes": false');
  });
});
