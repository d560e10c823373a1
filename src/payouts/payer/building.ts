/** Lines become transactions: bytes, a dry run of them, and then they are written down. */
import type { LineToPay, NewTransaction, PayerState } from '../../bridge/payouts/payer-books.js';
import { buildTransfer } from '../../chain/transfers/transfer.js';
import { nonceOf } from '../command/nonce.js';
import { eachOf, mapInTurns } from '../turns.js';
import type { Head } from './nodes.js';
import { roomsOf } from './rooms.js';
import { gasOn, MICROS, MOST_A_TURN, type Turn } from './turn.js';

/** Behind the head's time, so that no node finds it stamped in its future. */
const BACK_S = 30;
/** A line that a dry run refused waits so long for the next. */
const RETRY_MS = 300_000;
/** One takes a fifth of a millisecond. */
const HASHED_AT_A_TIME = 16;
/** In one commit. */
const BUILT_AT_ONCE = 100;
/** One or two that fail alike may be two bad lines. */
const FEWEST_ALIKE = 3;

interface LeftOut {
  readonly id: string;
  readonly why: string;
}

interface Chosen {
  readonly chainId: number;
  readonly transaction: NewTransaction;
}

/** True where some were built. */
export async function buildNext(turn: Turn, state: PayerState): Promise<boolean> {
  const { role, memory } = turn;
  const now = performance.now();
  const isTriedAgain = (id: string): boolean =>
    now - (memory.refusedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= RETRY_MS;
  const lines = state.lines.filter(({ id, chainId }) => state.chains.includes(chainId) && isTriedAgain(id));
  if (lines.length === 0) return false;
  const { rooms } = await roomsOf(turn, [...new Set(lines.map(({ chainId }) => chainId))], state);
  const affordable: { readonly line: LineToPay; readonly head: Head }[] = [];
  const left: LeftOut[] = [];
  for (const line of lines) {
    if (affordable.length === MOST_A_TURN) break;
    const { id, chainId, amount } = line;
    const room = rooms.get(chainId);
    if (!room || room.places === 0) continue;
    const cost = amount + gasOn(turn, chainId);
    if (cost > room.coins) {
      left.push({ id, why: `chain ${chainId} has too few coins for it now` });
      continue;
    }
    room.coins -= cost;
    room.places--;
    affordable.push({ line, head: room.head });
  }
  const chosen = await mapInTurns(
    affordable,
    HASHED_AT_A_TIME,
    ({ line, head }): Chosen => ({
      ...{ chainId: line.chainId, transaction: transactionOf(turn, state, line, head) },
    }),
  );
  const good = await dryRuns(turn, chosen, left);
  if (left.length > 0) await role.leaveOut(left);
  for (let i = 0; i < good.length; i += BUILT_AT_ONCE) await role.build(good.slice(i, i + BUILT_AT_ONCE));
  return good.length > 0;
}

/** Its time is the chain's, and no later than the ledger's: no node can have it be valid for longer. */
function transactionOf(
  turn: Turn,
  { ledgerId, nowMs }: PayerState,
  { id, attempt, account, amount, chainId }: LineToPay,
  { timeMicros }: Head,
): NewTransaction {
  const { networkId, from, ttlS, gasLimit, gasPrice } = turn.terms;
  const creationTimeS = Math.min(Number(timeMicros / MICROS), Math.floor(nowMs / 1000)) - BACK_S;
  const built = buildTransfer({
    ...{ networkId, from, to: account, amount, chainId, creationTimeS, ttlS, gasLimit },
    gasPrice: turn.memory.prices.get(chainId) ?? gasPrice,
    nonce: nonceOf({ ledgerId, paymentId: id, attempt }),
  });
  const untilMicros = BigInt(creationTimeS + ttlS) * MICROS;
  return { lineId: id, attempt, ...built, untilMicros, gas: gasOn(turn, chainId) };
}

/** Those that a dry run takes. Nobody is held for one that fails: it is tried again later. */
async function dryRuns(
  { role, nodes, terms, memory }: Turn,
  chosen: readonly Chosen[],
  left: LeftOut[],
): Promise<NewTransaction[]> {
  const good: NewTransaction[] = [];
  const whys = new Map<string, number>();
  await eachOf(chosen, async ({ chainId, transaction }) => {
    const { lineId, cmd, requestKey } = transaction;
    const tried = await nodes.dryRun(chainId, cmd, terms.from.publicKeys.length);
    if (tried.is === 'fine') {
      good.push(transaction);
      memory.refusedAtMs.delete(lineId);
      return;
    }
    left.push({ id: lineId, why: `a dry run of it fails: ${tried.why}` });
    memory.refusedAtMs.set(lineId, performance.now());
    if (tried.is !== 'failed') return;
    // Some words name the command, and are alike otherwise.
    const why = tried.why.replaceAll(requestKey, '…');
    whys.set(why, (whys.get(why) ?? 0) + 1);
  });
  const [why = '', count = 0] = [...whys].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (count >= FEWEST_ALIKE && 2 * count > chosen.length)
    await role.pause('dryRuns', `${count} of ${chosen.length} say: ${why}`);
  return good;
}
