/** What blocks put is kept and forgotten with them. */
import { afterEach, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { OrderedClock } from '../../../src/devnode/clock.js';
import { Chains } from '../../../src/devnode/consensus/chains.js';
import { networkFrom } from '../../../src/devnode/consensus/networks.js';
import type { Miner } from '../../../src/devnode/mining/payload.js';
import type { BlockStore, Written } from '../../../src/devnode/storage/block-store.js';
import { funds, transfer } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { testNodes } from '../helpers.js';

const { newStore, cleanUp } = testNodes();
afterEach(cleanUp);

const [ALICE, BOB, MINER_KEY] = [keyPair(1), keyPair(2), keyPair(4)];
const MINER: Miner = { account: MINER_KEY.account, predicate: 'keys-all', 'public-keys': [MINER_KEY.key] };
const START = 1_700_000_000;
const COIN = 10n ** 12n;

function chainsIn(store: BlockStore): Chains {
  let micros = BigInt(START) * 1_000_000n;
  const clock = { nowMicros: () => (micros += 1000n) };
  const initialBalances = [funds(ALICE, '100')];
  const network = networkFrom('development', { graph: 'singleton', proofOfWork: false, initialBalances });
  return new Chains({ network, store, clock: new OrderedClock(clock), log: SILENT });
}

/** A block in which Alice pays Bob a coin, or nothing. */
function mine(chains: Chains, nonce?: string): void {
  const run = chains.beginBlock(chains.head(0) ?? expect.fail('no chain'), MINER, BigInt(START) * 1_000_000n);
  if (typeof run === 'string') throw new Error(run);
  const { hash, sigs, cmd } = transfer(ALICE, BOB, '1.0', {
    nonce: nonce ?? '',
    meta: { creationTime: START },
  });
  if (nonce !== undefined) expect(run.take(JSON.stringify({ hash, sigs, cmd }))).toBeUndefined();
  const payload = run.payload();
  const header = chains.nextHeader(0, payload.payloadHash) ?? expect.fail('no header');
  expect(chains.add(header, payload).outcome).toBe('joined');
}

const coinsOf = (chains: Chains, account: string): bigint | undefined =>
  chains.states.behind(chains.head(0) ?? expect.fail('no chain')).account(account)?.balance;
const allOf = (store: BlockStore): Written[] =>
  [...store.allWritten(0)].sort((a, b) => a.key.localeCompare(b.key) || a.height - b.height);

it('what blocks put is gone with them, and comes again with them', () => {
  const store = newStore();
  const chains = chainsIn(store);
  mine(chains, 'first');
  const [before, heads] = [allOf(store), new Map([[0, chains.head(0)?.hash ?? expect.fail('no head')]])];
  expect(before.length).toBeGreaterThan(3);
  for (let time = 0; time < 3; time++) {
    mine(chains, 'second');
    expect([coinsOf(chains, BOB.account), allOf(store).length > before.length]).toEqual([2n * COIN, true]);
    chains.revert(heads, [chains.head(0)?.hash ?? expect.fail('no head')]);
    expect(allOf(store)).toEqual(before);
    expect(coinsOf(chains, BOB.account)).toBe(COIN);
  }
});
