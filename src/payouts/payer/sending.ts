/** What is signed goes to every node, the same bytes as often as liked. What nodes answer proves nothing. */
import type { OpenTransaction, PayerState } from '../../bridge/payouts/payer-books.js';
import { checkSignatures } from '../../chain/transfers/envelope.js';
import { type Amount, amountLiteral, parseAmount } from '../../core/money/amount.js';
import { eachOf } from '../turns.js';
import { longestAgo, MOST_A_TURN, type Turn } from './turn.js';

const AGAIN_MS = 20_000;
const LEAST_PRICE = /below minimum gas price \(([0-9.e+-]{1,40})\)/;

/** For the first time: not while payments are paused. */
export async function sendFirst(turn: Turn, { open, nowMs }: PayerState): Promise<void> {
  const first = open
    .filter(({ isSigned, isSent, untilMicros }) => isSigned && !isSent && Number(untilMicros / 1000n) > nowMs)
    .slice(0, MOST_A_TURN);
  if (first.length === 0 || !(await turn.role.sending(first.map(({ id }) => id)))) return;
  await eachOf(first, (one) => send(turn, one));
}

/** Nodes forget, and blocks are taken back. */
export async function sendAgain(turn: Turn, { open, nowMs }: PayerState): Promise<void> {
  const { sentAtMs } = turn.memory;
  const isDue = (id: string): boolean =>
    performance.now() - (sentAtMs.get(id) ?? Number.NEGATIVE_INFINITY) >= AGAIN_MS;
  const again = open.filter(
    ({ id, isSent, untilMicros }) => isSent && Number(untilMicros / 1000n) > nowMs && isDue(id),
  );
  await eachOf(longestAgo(again, sentAtMs), (one) => send(turn, one));
}

async function send(
  turn: Turn,
  { id, chainId, cmd, requestKey, signatures }: OpenTransaction,
): Promise<void> {
  const { nodes, terms, memory, log } = turn;
  memory.sentAtMs.set(id, performance.now());
  const checked = checkSignatures(cmd, terms.from.publicKeys, signatures);
  if (checked.is !== 'signed') return;
  const answers = await nodes.send(chainId, checked.envelope);
  for (const { node, isTaken, words } of answers)
    if (!isTaken) log.debug({ requestKey, node, words }, 'a node did not take a payment now');
  await heedPrice(
    turn,
    chainId,
    answers.filter(({ isAnswer }) => isAnswer).map(({ words }) => priceOf(words)),
  );
}

/** The next attempt pays what they ask for, up to what is allowed; not what one of them asks for and others do not. */
async function heedPrice(
  { role, terms, memory }: Turn,
  chainId: number,
  asked: readonly (Amount | undefined)[],
): Promise<void> {
  const [least] = asked.toSorted((a = 0n, b = 0n) => (a < b ? -1 : 1));
  if (least === undefined || asked.includes(undefined)) return;
  if (least <= (memory.prices.get(chainId) ?? terms.gasPrice)) return;
  if (least <= terms.maxGasPrice) memory.prices.set(chainId, least);
  else
    await role.pause(
      'gasPrice',
      `on chain ${chainId} they ask for ${amountLiteral(least)}, and payouts.maxGasPrice is ${amountLiteral(terms.maxGasPrice)}`,
    );
}

/** Nodes write small numbers with an exponent. */
function priceOf(words: string): Amount | undefined {
  const text = LEAST_PRICE.exec(words)?.[1];
  const number = Number(text);
  if (text === undefined || !(number > 0) || number > 1) return undefined;
  return parseAmount(number.toFixed(12));
}
