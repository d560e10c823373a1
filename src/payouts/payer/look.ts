/** The first half of a round: chains are looked at, transactions followed, and the paying account compared with its debits. */
import {
  debitName,
  type LiveTransaction,
  type Pause,
  type PayerChain,
  type PayerState,
  type SeenChain,
} from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import type { ChainSight, Trouble } from '../evidence/sight.js';
import { advance, debitsFrom, foreignDebits } from './account-watch.js';
import { follow } from './follow.js';
import { type Memory, pauseFor, type Round } from './parts.js';
import { finalDepth } from './terms.js';

/** A chain as this round has found it. */
export interface LookedAt {
  readonly chainId: number;
  readonly sight: ChainSight;
  /** Of the paying account, at the depth; `undefined` while it was never read there. */
  readonly account: PayerChain | undefined;
  /** Why nothing new is sent there; empty: nothing is wrong. */
  readonly trouble: string;
  readonly waiting: readonly LiveTransaction[];
}

/** Of these nothing is known for certain any more until a person has looked. */
const PAUSING: ReadonlySet<Trouble['kind']> = new Set([
  'clock',
  'disagree',
  'reorganised-deeper',
  'network',
  'contract',
  'unreadable',
]);

/** Of one chain: a question's worth. */
const FEWEST_READ = 8;
/** Of all chains in one round: some seconds on a slow machine. Orders are taken up in between. */
const BLOCKS_A_ROUND = 64;

/** Blocks of each chain that this round reads: those that have most to read share it. @param chains of the network. */
export function mostRead(
  { memory, blocksARound = BLOCKS_A_ROUND }: Pick<Round, 'memory' | 'blocksARound'>,
  chains: number,
): number {
  return Math.max(FEWEST_READ, Math.floor(blocksARound / (memory.reading.size || chains)));
}

/** More blocks are to be read: nothing is concluded that needs all of them. */
export function isReading({ troubles }: ChainSight): boolean {
  return troubles.some(({ kind }) => kind === 'reading');
}

interface Wanted {
  /** Transactions that are followed there. */
  readonly mine: readonly LiveTransaction[];
  /** Besides, down to here; absent: as those and the account need it. */
  readonly fromHeight: number | undefined;
  readonly most: number;
}

/** The sight of a chain, from as far down as is needed. */
export function sightOf(
  round: Round,
  chainId: number,
  state: PayerState,
  { mine, fromHeight = Number.MAX_SAFE_INTEGER, most }: Wanted,
): Promise<ChainSight> {
  const former = state.chains.find((chain) => chain.chainId === chainId);
  const from = Math.min(fromHeight, followedFrom(round, chainId, former, mine));
  return round.eyes.look(chainId, from, round.signal, most);
}

/** What a sight means for the books: to be asked for one chain after the other. */
export async function takeSight(
  round: Round,
  sight: ChainSight,
  state: PayerState,
  mine: readonly LiveTransaction[],
): Promise<LookedAt> {
  const { seat, terms, memory } = round;
  const { chainId } = sight;
  const former = state.chains.find((chain) => chain.chainId === chainId);
  const depths = { depth: terms.depth, final: finalDepth(terms) };
  const { waiting, blindFrom, undecided, ...found } = follow(mine, sight, depths, {
    from: terms.from.account,
    seenHeight: former && former.read.height + terms.depth,
    askedFrom: isReading(sight) ? undefined : followedFrom(round, chainId, former, mine),
  });
  if (blindFrom === undefined) memory.blindFrom.delete(chainId);
  else memory.blindFrom.set(chainId, blindFrom);
  // Books are not moved by the word of fewer nodes than new payments need.
  const { findings, pauses } = tooFew(round, sight) === undefined ? found : NOTHING;
  // First: none of the other reasons is as bad as coins that somebody else has sent.
  const { account, trouble } = await readAccount(round, state, sight);
  for (const pause of [...pauses, ...sight.troubles.flatMap(pauseOfTrouble)]) await pauseFor(round, pause);
  for (const [requestKey, pause] of undecided) {
    // Once: who resumes has heard of it, and can do no more than wait for such a node.
    if (memory.undecided.has(requestKey)) continue;
    memory.undecided.add(requestKey);
    await pauseFor(round, pause);
  }
  // Last: once the books know of it, it is no reason to pause any more, and who dies in between would never have paused.
  if (findings.length > 0) await seat.found(findings);
  const dead = new Set(findings.flatMap(({ id, now }) => (now === 'expired' ? [id] : [])));
  for (const { id, requestKey } of mine) if (dead.has(id)) memory.expected.delete(requestKey);
  return { chainId, sight, account, waiting, trouble: trouble ?? troubleOf(round, sight) };
}

/** Down to the birth of the oldest transaction that is followed, and to what was not read of the account. */
function followedFrom(
  { memory, terms }: Round,
  chainId: number,
  former: PayerChain | undefined,
  mine: readonly LiveTransaction[],
): number {
  const read = former ? former.read.height : Number.POSITIVE_INFINITY;
  const needed = [
    read,
    memory.blindFrom.get(chainId) ?? read,
    ...mine.map(({ birth, included }) => Math.min(birth.height, included?.height ?? birth.height)),
  ];
  const lowest = Math.min(...needed);
  // Nothing is known of it yet: what the depth needs, and not a chain of years.
  return Number.isFinite(lowest) ? Math.max(0, lowest - terms.depth) : Number.MAX_SAFE_INTEGER;
}

function pauseOfTrouble({ kind, says, nodes }: Trouble): Pause[] {
  return PAUSING.has(kind) ? [{ kind: `nodes-${kind}`, says, evidence: { nodes } }] : [];
}

const NOTHING = { findings: [], pauses: [] } as const;

/** Why nothing is concluded from a sight; `undefined`: as many nodes agree as are asked for. */
export function tooFew({ terms }: Pick<Round, 'terms'>, { nodes }: ChainSight): string | undefined {
  const agree = nodes.filter(({ standing }) => standing === 'agrees').length;
  return agree < terms.nodes
    ? `${agree} of ${nodes.length} nodes agree, and ${terms.nodes} are asked for (chain.nodes)`
    : undefined;
}

function troubleOf(round: Round, sight: ChainSight): string {
  // What one node makes up others have refuted.
  const isTrouble = ({ kind }: Trouble): boolean => kind !== 'forged';
  return tooFew(round, sight) ?? sight.troubles.find(isTrouble)?.says ?? '';
}

interface AccountRead {
  readonly account: PayerChain | undefined;
  readonly trouble?: string;
}

async function readAccount(round: Round, state: PayerState, sight: ChainSight): Promise<AccountRead> {
  const former = state.chains.find(({ chainId }) => chainId === sight.chainId);
  const isWhole = !isReading(sight);
  if (!former) return isWhole ? firstRead(round, sight) : { account: undefined };
  const { chain, pause } = advance(former, sight, round.terms.depth);
  if (pause && isWhole) return beginAnew(round, pause, sight);
  await pauseFor(round, pause);
  await refuseForeign(round, former.read.height + 1, sight);
  // What nodes say of a balance is asked for once, at the end.
  if (!isWhole) return { account: chain };
  if (chain === former) {
    const below = belowRead(former, sight);
    if (below !== undefined) return { account: former, trouble: below };
    const gap = gapIn(former, sight);
    if (gap === undefined) return { account: former };
    const isGone = (sight.head?.height ?? 0) - former.read.height > round.eyes.mostBlocks;
    return isGone ? beginAnew(round, unread(former, gap), sight) : { account: former, trouble: gap };
  }
  const said = await round.eyes.balance(chain.chainId, round.signal);
  if (said.kind === 'trouble') return { account: chain };
  // Nodes answer for the depth of now, which may be a block on by now.
  if (said.at.hash !== chain.read.hash) return { account: chain };
  return compared(round, chain, said.value, state.pause !== undefined);
}

/**
 * Somebody was told of a difference, and let payouts go on with it: what nodes say is where reading goes on. Nobody could end this pause
 * otherwise, where a block was passed that could not be read.
 */
async function compared(
  round: Round,
  chain: PayerChain,
  said: bigint,
  isPaused: boolean,
): Promise<AccountRead> {
  const { differences } = round.memory;
  const difference = said - chain.balance;
  const isAccepted = !isPaused && differences.get(chain.chainId) === difference;
  differences.delete(chain.chainId);
  if (difference === 0n) return { account: chain };
  const pause = balanceDiffers(chain, said);
  if (isAccepted) {
    round.log.warn(
      { ...pause.evidence },
      `payouts went on: the account is read on from what nodes say. ${pause.says}`,
    );
    return { account: { ...chain, balance: said, credits: 0n, debits: 0n } };
  }
  differences.set(chain.chainId, difference);
  await pauseFor(round, pause);
  return { account: chain, trouble: pause.says };
}

/** Nodes that have forgotten the chain and follow it anew: what is read of the account is of blocks that they do not have. */
function belowRead({ chainId, read }: PayerChain, { head }: ChainSight): string | undefined {
  if (!head || head.height >= read.height) return undefined;
  return `nodes are at height ${head.height} of chain ${chainId}, and ${read.height} was read before: they have not caught up`;
}

/** More came since than is read at once: with a balance of long ago nothing is sent. */
function gapIn({ read }: PayerChain, { blocks }: ChainSight): string | undefined {
  const [lowest] = blocks;
  if (!lowest || lowest.height <= read.height + 1) return undefined;
  return `blocks ${read.height + 1} to ${lowest.height - 1} were not read: payouts were away for too long`;
}

/** They are further below the head than is kept, and never will be. */
function unread({ chainId, read }: PayerChain, gap: string): Pause {
  return { kind: 'unread', says: `of chain ${chainId} ${gap}`, evidence: { chainId, read } };
}

/** Where reading begins: what all nodes say at the depth. */
async function firstRead({ eyes, signal }: Round, { chainId }: ChainSight): Promise<AccountRead> {
  const said = await eyes.balance(chainId, signal);
  if (said.kind === 'trouble') return { account: undefined, trouble: said.trouble.says };
  return { account: { chainId, read: said.at, balance: said.value, credits: 0n, debits: 0n } };
}

/**
 * What was read has left the chain, or is too far below. A person says when payouts go on; until then reading begins anew, or they never could. What left the
 * account on the branch that came instead is compared first: it was not seen before.
 */
async function beginAnew(round: Round, pause: Pause, sight: ChainSight): Promise<AccountRead> {
  await refuseForeign(round, 0, sight);
  await pauseFor(round, pause);
  return firstRead(round, sight);
}

function balanceDiffers({ chainId, read, balance }: PayerChain, said: bigint): Pause {
  const says = `nodes say that the paying account has ${formatAmount(said)} on chain ${chainId} at height ${read.height}, and by the blocks it has ${formatAmount(balance)}`;
  return { kind: 'balance-differs', says, evidence: { chainId, ...read } };
}

async function refuseForeign(round: Round, fromHeight: number, sight: ChainSight): Promise<void> {
  const { seat, memory } = round;
  const names = new Set(debitsFrom(sight, fromHeight).map(debitName));
  const asked = [...names].filter((name) => !memory.expected.has(name));
  if (asked.length > 0) for (const name of await seat.expected(asked)) memory.expected.add(name);
  for (const pause of foreignDebits(sight, fromHeight, memory.expected)) await pauseFor(round, pause);
}

/** For who looks, and for the next start. */
export function seenOf(
  { chainId, sight, account, trouble }: LookedAt,
  { missing, doubts }: Memory,
): SeenChain {
  const head = sight.head && { height: sight.head.height, timeS: sight.head.timeS };
  const seen = { chainId, head, trouble, missing: missing.get(chainId) ?? 0n, doubt: doubts.get(chainId) };
  return account === undefined ? seen : { ...seen, read: account };
}
