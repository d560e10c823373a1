/** Lines become transactions: bytes, a dry run, signatures, the intention, and then as many requests as liked. */

import type {
  LiveTransaction,
  NewTransaction,
  OpenPayment,
  PayerState,
} from '../../bridge/payouts/payer-books.js';
import { amountLiteral, parseAmount } from '../../core/money/amount.js';
import { payableFault } from '../command/accounts.js';
import { nonceOf } from '../command/nonce.js';
import { buildTransfer } from '../command/transfer.js';
import type { SendAnswer } from '../evidence/eyes.js';
import { mapInTurns } from '../turns.js';
import type { LookedAt } from './look.js';
import { pauseFor, type Round } from './parts.js';
import { roomsOf } from './rooms.js';
import { costOf } from './terms.js';

/** Behind the head's time, so that no node finds it stamped in its future. */
const BACK_S = 30;
/** Requests under way at a time, to each node. */
const MOST_SENT = 16;
/** Lines that are looked at in one round. */
const PAGE = 2_000;

/** Writes down transactions for lines that may be paid now and that their chains have coins for. Resolves with how many. */
export async function buildNext(
  round: Round,
  state: PayerState,
  chains: ReadonlyMap<number, LookedAt>,
  live: readonly LiveTransaction[],
): Promise<number> {
  const { seat } = round;
  const rooms = roomsOf(round, chains, live);
  const chosen: { readonly payment: OpenPayment; readonly chain: LookedAt }[] = [];
  const missing = new Map<number, bigint>();
  const unpayable: { paymentId: string; why: string }[] = [];
  for (const payment of await seat.open(PAGE)) {
    const [room, chain] = [rooms.get(payment.chainId), chains.get(payment.chainId)];
    const why = faultOf(round, payment.account);
    if (why !== undefined) unpayable.push({ paymentId: payment.id, why });
    if (why !== undefined || !room || !chain || room.places === 0) continue;
    const cost = costOf({ ...payment, ...gasOf(round, payment.chainId) });
    if (cost > room.coins) {
      missing.set(payment.chainId, (missing.get(payment.chainId) ?? 0n) + cost);
      continue;
    }
    room.coins -= cost;
    room.places--;
    chosen.push({ payment, chain });
  }
  round.memory.missing = new Map(
    [...missing].map(([chainId, wanted]) => [chainId, wanted - (rooms.get(chainId)?.coins ?? 0n)]),
  );
  if (unpayable.length > 0) await seat.hold(unpayable);
  for (let i = 0; i < chosen.length; i += BUILT_AT_ONCE)
    await seat.build(
      await mapInTurns(chosen.slice(i, i + BUILT_AT_ONCE), HASHED_AT_A_TIME, ({ payment, chain }) =>
        transactionOf(round, state, payment, chain),
      ),
    );
  return chosen.length;
}

/** Of one statement; and of those, hashed before others have their turn: one takes a fifth of a millisecond. */
const [BUILT_AT_ONCE, HASHED_AT_A_TIME] = [100, 16];

function gasOf({ terms, memory }: Round, chainId: number) {
  return { gasLimit: terms.gasLimit, gasPrice: memory.gasPrices.get(chainId) ?? terms.gasPrice };
}

/** Why nothing is paid to an account, ever. */
export function faultOf({ terms }: Pick<Round, 'terms'>, account: string): string | undefined {
  if (account === terms.from.account) return 'it is the account that pays';
  return payableFault(account);
}

function transactionOf(
  round: Round,
  { ledgerId }: PayerState,
  { id, chainId, account, amount, attempt }: OpenPayment,
  { sight: { head } }: LookedAt,
): NewTransaction {
  if (!head) throw new Error(`chain ${chainId} has no head to build on`);
  const { networkId, from, ttlS } = round.terms;
  const facts = { ...gasOf(round, chainId), creationTimeS: head.timeS - BACK_S, ttlS, chainId };
  const nonce = nonceOf({ ledgerId, paymentId: id, attempt });
  const built = buildTransfer({ networkId, from, to: account, amount, nonce, ...facts });
  return { paymentId: id, attempt, birth: { height: head.height, hash: head.hash }, ...facts, ...built };
}

/** Some at a time, so that a node far away does not hold up all others. */
export async function sendAll(round: Round, transactions: readonly LiveTransaction[]): Promise<void> {
  const rest = transactions.values();
  const sendNext = async (): Promise<void> => {
    for (const transaction of rest) await sendOne(round, transaction);
  };
  await Promise.all(Array.from({ length: MOST_SENT }, sendNext));
}

/** To every node, the same bytes. What they answer proves nothing; it may say what they ask for. */
async function sendOne(round: Round, transaction: LiveTransaction): Promise<void> {
  const { eyes, signal, log } = round;
  const { chainId, cmd, requestKey, sigs = [], id } = transaction;
  const envelope = { cmd, hash: requestKey, sigs: sigs.map((sig) => ({ sig })) };
  const answers = await eyes.send(chainId, envelope, signal);
  for (const answer of answers)
    if (answer.kind !== 'accepted')
      log.debug({ transaction: id, ...answer }, 'a node did not take a payment now');
  await heedPrice(round, chainId, answers);
}

const LEAST_PRICE = /below minimum gas price \(([0-9.e+-]{1,40})\)/;

/** The next attempt pays what nodes ask for, up to what is allowed. */
async function heedPrice(round: Round, chainId: number, answers: readonly SendAnswer[]): Promise<void> {
  const { memory, terms } = round;
  for (const { words = '', node } of answers) {
    const asked = priceOf(LEAST_PRICE.exec(words)?.[1]);
    if (asked === undefined || asked <= (memory.gasPrices.get(chainId) ?? terms.gasPrice)) continue;
    if (asked <= terms.maxGasPrice) memory.gasPrices.set(chainId, asked);
    else
      await pauseFor(round, {
        kind: 'gas-price',
        says: `node ${node} takes nothing on chain ${chainId} below a gas price of ${amountLiteral(asked)}, and payouts.maxGasPrice is ${amountLiteral(terms.maxGasPrice)}`,
        evidence: { chainId, node, asked: amountLiteral(asked), words },
      });
  }
}

/** Nodes write small numbers with an exponent. */
function priceOf(text: string | undefined): bigint | undefined {
  const number = Number(text);
  if (text === undefined || !(number > 0) || number > 1) return undefined;
  return parseAmount(number.toFixed(12));
}
