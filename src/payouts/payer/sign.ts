/** Transactions that were written down get a dry run and their signatures. Lines that fail alone are held, and others go on. */
import type { LiveTransaction, PayerState, Signature } from '../../bridge/payouts/payer-books.js';
import { checkSignatures, type Envelope } from '../command/envelope.js';
import type { Guard } from '../evidence/eyes.js';
import { checkedOutcome } from '../signer/checked.js';
import { type Signer, SignerError, type SignOutcome, type SignRequest } from '../signer/signer.js';
import { mapInTurns } from '../turns.js';
import type { LookedAt } from './look.js';
import { type Memory, pauseFor, type Round } from './parts.js';

/** Of one question to the signer. */
const MOST_AT_ONCE = 100;
/** Dry runs under way at a time. */
const MOST_TRIED = 8;
/** Transactions of one round: with fewer, blocks of twenty chains are not filled. */
const MOST_A_ROUND = 20 * MOST_AT_ONCE;
/** A dry run counts for so many blocks, some five minutes: who signs elsewhere takes his time. */
const TRIED_FOR_BLOCKS = 10;

/** Signs what can be signed now. Resolves with how many have their signatures. */
export async function signNext(
  round: Round,
  state: PayerState,
  chains: ReadonlyMap<number, LookedAt>,
  live: readonly LiveTransaction[],
): Promise<number> {
  const { signer, seat, memory } = round;
  forgetOthers(memory, live);
  const inTime = live.filter(
    (one) =>
      one.state === 'built' && !one.isRejected && !one.isOfFormer && isInTime(one, chains.get(one.chainId)),
  );
  const joined = inTime.filter((one) => one.partial.length > 0 && joinedSigs(round, one) !== undefined);
  if (joined.length > 0)
    await seat.keepSignatures(joined.map((one) => ({ id: one.id, sigs: joinedSigs(round, one) ?? [] })));
  const built = inTime.filter((one) => !joined.includes(one) && !memory.signedInPart.has(one.requestKey));
  const good = await tryNext(round, built, chains);
  if (good === undefined || signer === undefined) return 0;
  let signed = 0;
  for (let i = 0; i < good.length; i += MOST_AT_ONCE) {
    const some = await withDeadTold(round, signer, good.slice(i, i + MOST_AT_ONCE));
    if (some.length === 0) continue;
    await seat.asking(some.map(({ id }) => id));
    const outcomes = await signer.sign(
      some.map((one) => requestOf(round, state, one)),
      round.signal,
    );
    signed += await keepOutcomes(round, some, outcomes);
  }
  return signed;
}

/** Those whose attempts before the signer knows to be dead. Where it is not to be told now, what it has signed is sent all the same. */
async function withDeadTold(
  { memory, log }: Round,
  signer: Signer,
  some: readonly LiveTransaction[],
): Promise<LiveTransaction[]> {
  try {
    for (const key of some.flatMap(({ deadKeys }) => deadKeys)) {
      if (memory.toldDead.has(key)) continue;
      await signer.markDead(key, 'dead by proof');
      memory.toldDead.add(key);
    }
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    log.warn({ why: error.message }, 'the signer does not hear what is dead: it is told again');
  }
  return some.filter(({ deadKeys }) => deadKeys.every((key) => memory.toldDead.has(key)));
}

/** What is followed no more is not worth remembering. */
function forgetOthers({ toldDead, signedInPart, triedAt }: Memory, live: readonly LiveTransaction[]): void {
  if (toldDead.size + signedInPart.size + triedAt.size === 0) return;
  const [dead, mine] = [
    new Set(live.flatMap((one) => one.deadKeys)),
    new Set(live.map((one) => one.requestKey)),
  ];
  for (const key of toldDead) if (!dead.has(key)) toldDead.delete(key);
  for (const keys of [signedInPart, triedAt])
    for (const key of keys.keys()) if (!mine.has(key)) keys.delete(key);
}

/** What is past its time already, or nearly, is not signed: it expires, and is built anew. */
function isInTime(
  { creationTimeS, ttlS }: Pick<LiveTransaction, 'creationTimeS' | 'ttlS'>,
  chain: LookedAt | undefined,
): boolean {
  const headS = chain?.sight.head?.timeS;
  return headS !== undefined && chain?.trouble === '' && headS < creationTimeS + ttlS - SPARE_S;
}

/** Signatures of so many are checked before others have their turn: one takes a fifth of a millisecond. */
const CHECKED_AT_A_TIME = 16;

/** For a block to come. */
const SPARE_S = 60;

function requestOf({ terms }: Round, { ledgerId }: PayerState, one: LiveTransaction): SignRequest {
  const { paymentId, attempt, cmd, requestKey, amount, chainId } = one;
  return { ledgerId, paymentId, attempt, cmd, requestKey, account: terms.from.account, amount, chainId };
}

/** Signatures of some of the keys are kept too: others sign elsewhere, and what is missing is added to them. */
async function keepOutcomes(
  round: Round,
  asked: readonly LiveTransaction[],
  outcomes: readonly SignOutcome[],
): Promise<number> {
  const signed: { id: string; sigs: string[] }[] = [];
  const inPart: { id: string; signatures: readonly Signature[] }[] = [];
  const checked = await mapInTurns(asked, CHECKED_AT_A_TIME, ({ cmd }, i) => {
    const outcome = outcomes[i];
    return outcome && checkedOutcome(cmd, round.terms.from.publicKeys, outcome);
  });
  for (const [i, one] of asked.entries()) {
    const { id, requestKey, account, payout } = one;
    const outcome = checked[i];
    if (outcome?.is === 'signed') {
      signed.push({ id, sigs: outcome.envelope.sigs.map(({ sig }) => sig) });
      round.memory.triedAt.delete(requestKey);
    }
    if (outcome?.is === 'partial') {
      const sigs = joinedSigs(round, one, outcome.signatures);
      if (sigs) signed.push({ id, sigs });
      else inPart.push({ id, signatures: outcome.signatures });
      round.memory.signedInPart.add(requestKey);
    }
    if (outcome?.is === 'failed')
      round.log.warn({ requestKey, why: outcome.why }, 'a payment is not signed yet: it is asked for again');
    if (outcome?.is === 'refused') {
      const says = `the signer refuses the payment of ${account} in payout ${payout}: ${outcome.why}`;
      await pauseFor(round, { kind: 'signer-refused', says, evidence: { requestKey } });
    }
  }
  if (signed.length > 0) await round.seat.keepSignatures(signed);
  if (inPart.length > 0) await round.seat.keepPartial(inPart);
  return signed.length;
}

/** All of them, in order, with what others gave before; `undefined` while some are missing. */
function joinedSigs(
  { terms }: Round,
  { cmd, partial }: LiveTransaction,
  given: readonly Signature[] = [],
): string[] | undefined {
  const checked = checkSignatures(cmd, terms.from.publicKeys, [...partial, ...given]);
  return checked.is === 'complete' ? checked.envelope.sigs.map(({ sig }) => sig) : undefined;
}

interface Failing {
  readonly paymentId: string;
  readonly why: string;
}

/** Those that a dry run has taken, now or a few blocks ago; `undefined` where payouts were paused for it. */
async function tryNext(
  round: Round,
  built: readonly LiveTransaction[],
  chains: ReadonlyMap<number, LookedAt>,
): Promise<LiveTransaction[] | undefined> {
  const { triedAt, doubts } = round.memory;
  const headOf = ({ chainId }: LiveTransaction): number => chains.get(chainId)?.sight.head?.height ?? 0;
  const isTried = (one: LiveTransaction): boolean =>
    headOf(one) < (triedAt.get(one.requestKey) ?? Number.NEGATIVE_INFINITY) + TRIED_FOR_BLOCKS;
  doubts.clear();
  const untried = built.filter((one) => !isTried(one)).slice(0, MOST_A_ROUND);
  const took = await tryAll(round, untried, chains);
  if (took === undefined) return undefined;
  for (const one of took) triedAt.set(one.requestKey, headOf(one));
  const tried = built.filter((one) => isTried(one)).slice(0, MOST_A_ROUND);
  return tried.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
}

/** Those that a dry run takes; `undefined` where most of them fail alike: then it is no matter of single lines. */
async function tryAll(
  round: Round,
  all: readonly LiveTransaction[],
  chains: ReadonlyMap<number, LookedAt>,
): Promise<LiveTransaction[] | undefined> {
  const guarded = await guardedChains(round, all, chains);
  if (guarded === undefined) return undefined;
  const built = all.filter(({ chainId }) => guarded.has(chainId));
  const good: LiveTransaction[] = [];
  const failing: Failing[] = [];
  for (let i = 0; i < built.length; i += MOST_TRIED) {
    const some = built.slice(i, i + MOST_TRIED);
    await Promise.all(
      some.map(async (one) => {
        const tried = await round.eyes.preflight(one.chainId, unsigned(round, one), round.signal);
        if (tried.kind === 'success') good.push(one);
        if (tried.kind === 'failure') failing.push({ paymentId: one.paymentId, why: tried.why });
        // It waits, and others go on: nobody but who looks can say which node is right.
        if (tried.kind === 'trouble') round.memory.doubts.set(one.chainId, tried.trouble.says);
      }),
    );
  }
  if (await pausedByMost(round, failing, built.length)) return undefined;
  if (failing.length > 0) await round.seat.hold(failing);
  return good;
}

/** A dry run checks no signatures. */
function unsigned({ terms }: Round, { cmd, requestKey }: LiveTransaction): Envelope {
  return { cmd, hash: requestKey, sigs: terms.from.publicKeys.map(() => ({ sig: '' })) };
}

async function pausedByMost(round: Round, failing: readonly Failing[], tried: number): Promise<boolean> {
  const counts = new Map<string, number>();
  for (const { why } of failing) counts.set(why, (counts.get(why) ?? 0) + 1);
  const [why, count] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
  if (count < FEWEST_ALIKE || 2 * count <= tried) return false;
  const says = `a dry run of ${count} of ${tried} payments failed alike: ${why}`;
  return pauseFor(round, { kind: 'preflight', says, evidence: { why, count, tried } });
}

/** One or two that fail alike may be two bad lines. */
const FEWEST_ALIKE = 3;

/** Where the guard of the paying account is what signs; where nobody can tell, its lines wait. `undefined`, with a pause: it is another one. */
async function guardedChains(
  round: Round,
  built: readonly LiveTransaction[],
  chains: ReadonlyMap<number, LookedAt>,
): Promise<ReadonlySet<number> | undefined> {
  const { terms, eyes, signal, memory } = round;
  const guarded = new Set<number>();
  for (const chainId of new Set(built.map((one) => one.chainId))) {
    if (!chains.has(chainId)) continue;
    const said = await eyes.guard(chainId, terms.from.account, signal);
    if (said.kind === 'trouble')
      memory.doubts.set(chainId, `nothing is signed there now: ${said.trouble.says}`);
    else if (said.value === undefined) memory.doubts.set(chainId, MISSING);
    else if (isOurs(said.value, terms)) guarded.add(chainId);
    else {
      const says = `the paying account has another guard on chain ${chainId} than the key that signs`;
      await pauseFor(round, { kind: 'guard-changed', says, evidence: { chainId, guard: said.value } });
      return undefined;
    }
  }
  return guarded;
}

const MISSING = 'nothing is signed there now: the paying account is not there yet, at the depth';

function isOurs(guard: Guard | 'other', { from }: Round['terms']): boolean {
  return (
    guard !== 'other' &&
    guard.pred === from.predicate &&
    guard.keys.join() === [...from.publicKeys].sort().join()
  );
}
