/** A batch of thousands of lines shares its process with rigs: long work lets others have their turn, and does the same work. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { planPayments, planSteps } from '../../src/payouts/plan/planner.js';
import { eachOf, inTurns, mapInTurns } from '../../src/payouts/turns.js';
import { temporaryFolder } from '../helpers/folder.js';
import { keyIn, openSigner, requestFor } from './signer/requests.js';

/** What others were given of turns meanwhile. */
async function turnsDuring<T>(
  act: () => Promise<T>,
): Promise<{ readonly result: T; readonly turns: number }> {
  let [turns, isOver] = [0, false];
  const others = (async () => {
    while (!isOver) {
      await nextTurn();
      turns++;
    }
  })();
  const result = await act();
  isOver = true;
  await others;
  return { result, turns };
}

describe('long work', () => {
  it('is mapped in its order, some at a time', async () => {
    const all = Array.from({ length: 100 }, (_, i) => i);
    const { result, turns } = await turnsDuring(() => mapInTurns(all, 10, (one, i) => [one, i]));
    expect(result).toEqual(all.map((one) => [one, one]));
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(await mapInTurns([], 10, String)).toEqual([]);
  });

  it('of a plan of thousands lets others have their turn, and gives what it gives at once', async () => {
    const payments = Array.from({ length: 3_000 }, (_, i) => {
      const account = `k:${i}`;
      return { id: account, account, amount: 10n ** 12n + BigInt(i % 7), minimum: 1n };
    });
    const chains = [0, 1, 2].map((chainId) => ({ chainId, available: 10n ** 15n }));
    const input = { payments, chains, gas: 10n, split: true };
    const { result, turns } = await turnsDuring(() => inTurns(planSteps(input)));
    expect(result).toEqual(planPayments(input));
    expect(result.waiting).not.toEqual([]);
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('of many questions has eight under way at a time, and begins none once one has failed', async () => {
    let underWay = 0;
    let most = 0;
    const asked: number[] = [];
    const asking = eachOf(
      Array.from({ length: 40 }, (_, i) => i),
      async (i) => {
        asked.push(i);
        most = Math.max(most, ++underWay);
        await pause(20);
        underWay--;
        if (i === 19) throw new Error('it hangs');
      },
    );
    await expect(asking).rejects.toThrow('it hangs');
    const begun = asked.length;
    await pause(60);
    expect([most, asked.length]).toEqual([8, begun]);
    expect(begun).toBeLessThan(40);
  });

  it('of a generator goes on where it yielded', async () => {
    function* work() {
      for (let i = 0; i < 5; i++) yield i;
      return 'done';
    }
    const { result, turns } = await turnsDuring(() => inTurns(work()));
    expect(result).toBe('done');
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('of a signer that is asked for a hundred: others have their turn between a few of them', async () => {
    await using folder = await temporaryFolder();
    const signer = await openSigner(await keyIn(folder.path));
    const requests = Array.from({ length: 100 }, (_, i) => requestFor(i + 1));
    const { result, turns } = await turnsDuring(() => signer.sign(requests));
    expect(new Set(result.map(({ is }) => is))).toEqual(new Set(['signed']));
    expect(turns).toBeGreaterThanOrEqual(2 * (100 / 8 - 1));
    await signer.close();
  });
});
