/** What became of transactions: each is judged by what is seen of its chain, and the books are told. */
import type { Finding, LiveTransaction, Pause } from '../../bridge/payouts/payer-books.js';
import type { Depths, JudgedTransaction, Verdict } from '../evidence/judge.js';
import { commandsIn, judge } from '../evidence/judge.js';
import type { ChainSight } from '../evidence/sight.js';

interface Followed {
  readonly findings: readonly Finding[];
  readonly pauses: readonly Pause[];
  /** To be sent again, as they are on no block: those that were sent, of this chain. */
  readonly waiting: readonly LiveTransaction[];
  /** The sight does not reach down to what must be read: the next look begins there. */
  readonly blindFrom: number | undefined;
  /** By request key: nobody gives the blocks that show what became of it, and its time has been over for long. */
  readonly undecided: ReadonlyMap<string, Pause>;
}

interface Following {
  /** The payer's account. */
  readonly from: string;
  /** Of the highest block that was ever seen. */
  readonly seenHeight?: number | undefined;
  /** From where on the sight was asked for; absent: more of it will be read. */
  readonly askedFrom?: number | undefined;
}

/** Pure. */
export function follow(
  transactions: readonly LiveTransaction[],
  sight: ChainSight,
  depths: Depths,
  { from, seenHeight = 0, askedFrom }: Following,
): Followed {
  const findings: Finding[] = [];
  const pauses: Pause[] = [];
  const waiting: LiveTransaction[] = [];
  const undecided = new Map<string, Pause>();
  let blindFrom: number | undefined;
  const commands = commandsIn(sight);
  for (const transaction of transactions) {
    const verdict = judge(asJudged(transaction, from, seenHeight), sight, depths, commands);
    if (verdict.kind === 'blind') blindFrom = Math.min(blindFrom ?? verdict.fromHeight, verdict.fromHeight);
    // What others have signed and sent, we cannot send again. And nothing beside an attempt that pays after all, however it was shown to be dead.
    const isPaid = transaction.deadKeys.some((key) => commands.get(key)?.command.status === 'success');
    if (verdict.kind === 'waiting' && transaction.state === 'sent' && transaction.sigs && !isPaid)
      waiting.push(transaction);
    const finding = findingOf(transaction, verdict, sight);
    if (finding) findings.push(finding);
    const pause = pauseFor(transaction, verdict);
    if (pause) pauses.push(pause);
    const open = undecidedOf(transaction, verdict, { sight, depths, askedFrom });
    if (open) undecided.set(transaction.requestKey, open);
  }
  return { findings, pauses, waiting, blindFrom, undecided };
}

function asJudged(transaction: LiveTransaction, from: string, seenHeight: number): JudgedTransaction {
  const { requestKey, cmd, account, amount, creationTimeS, ttlS, birth, included } = transaction;
  return {
    ...{ requestKey, cmd, creationTimeS, ttlS, birth, state: judgedState(transaction) },
    line: { from, to: account, amount },
    // How deep it was seen at least, also where nobody has looked since.
    ...(included === undefined
      ? {}
      : { includedAt: included, onTop: Math.max(0, seenHeight - included.height) }),
  };
}

/** One whose bytes may be somewhere is judged like one that was sent. What nobody could judge may be clear on another block. */
function judgedState({ state }: LiveTransaction): JudgedTransaction['state'] {
  if (state === 'included' || state === 'confirmed' || state === 'refused') return state;
  return state === 'sent' || state === 'unknown' ? 'sent' : 'signed';
}

function findingOf(
  { id, state }: LiveTransaction,
  verdict: Verdict,
  { chainId, nodes }: ChainSight,
): Finding | undefined {
  const agree = nodes.filter(({ standing }) => standing === 'agrees').map(({ node }) => node);
  const evidence = (more: object = {}) => ({ chainId, nodes: agree, ...more });
  switch (verdict.kind) {
    case 'included':
      if (state === 'included') return undefined;
      return { id, now: 'included', place: verdict.place, evidence: evidence({ result: verdict.result }) };
    case 'confirmed': {
      const { place, gasPaid } = verdict;
      return state === 'confirmed'
        ? undefined
        : { id, now: 'confirmed', place, gasPaid, evidence: evidence() };
    }
    case 'final':
      return state === 'confirmed'
        ? { id, now: 'final', evidence: evidence() }
        : { id, now: 'confirmed', place: verdict.place, gasPaid: verdict.gasPaid, evidence: evidence() };
    case 'refused': {
      const { place, gasPaid, why, isFinal } = verdict;
      if (state !== 'refused') return { id, now: 'refused', place, gasPaid, why, evidence: evidence() };
      return isFinal ? { id, now: 'final', evidence: evidence() } : undefined;
    }
    case 'left':
    case 'deep':
      return { id, now: 'sent', evidence: evidence({ left: verdict.place, depth: verdict.depth }) };
    case 'expired':
      return {
        id,
        now: 'expired',
        why: 'it is in no block that could have it',
        evidence: evidence(verdict.proof),
      };
    case 'differs': {
      const { why, place } = verdict;
      return state === 'unknown' ? undefined : { id, now: 'unknown', why, evidence: evidence({ place }) };
    }
    case 'waiting':
    case 'blind':
    case 'withheld':
      return undefined;
  }
}

function pauseFor(
  { requestKey, payout, account, state }: LiveTransaction,
  verdict: Verdict,
): Pause | undefined {
  const whose = `the payment of ${account} in payout ${payout}`;
  const evidence = { requestKey, payout, account };
  // Who resumes has looked at it, and nothing of it changes any more.
  if (verdict.kind === 'differs' && state !== 'unknown') {
    const says = `${whose} is in a block, and what happened there is not the line: ${verdict.why}`;
    return { kind: 'event-differs', says, evidence: { ...evidence, place: verdict.place } };
  }
  if (verdict.kind === 'deep' || (verdict.kind === 'left' && state === 'refused')) {
    const says = `${whose} was in a block that has left the chain with ${verdict.depth} blocks on top`;
    return { kind: 'left-deep', says, evidence: { ...evidence, place: verdict.place } };
  }
  return undefined;
}

/** So many times as long as it may live: by then it should be known what became of it. */
const LIVES = 2;

function undecidedOf(
  { requestKey, payout, account, creationTimeS, ttlS }: LiveTransaction,
  verdict: Verdict,
  {
    sight: { blocks, head, chainId },
    depths,
    askedFrom,
  }: { readonly sight: ChainSight; readonly depths: Depths; readonly askedFrom: number | undefined },
): Pause | undefined {
  const [lowest] = blocks;
  if (verdict.kind !== 'blind' || !lowest || !head) return undefined;
  if (askedFrom === undefined || askedFrom > verdict.fromHeight) return undefined;
  const deep = blocks.findLast(({ height }) => height <= head.height - depths.depth);
  if (!deep || deep.timeS < creationTimeS + LIVES * ttlS) return undefined;
  const says = `nobody can say whether the payment of ${account} in payout ${payout} was made: no node gives blocks ${verdict.fromHeight} to ${lowest.height - 1} of chain ${chainId}, and its time is over`;
  return {
    kind: 'undecided',
    says,
    evidence: { requestKey, payout, account, chainId, from: verdict.fromHeight },
  };
}
