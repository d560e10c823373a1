/**
 * What may be concluded of a transaction from a chain that was checked. Pure: no clock, no node. Only what stands in
 * verified blocks, and their times, moves a state.
 */
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { storable } from '../../core/names/names.js';
import type { BlockPlace, ChainSight, CheckedBlock, FoundCommand, TransferFact } from './sight.js';

export interface JudgedTransaction {
  readonly requestKey: string;
  /** The text that was signed. */
  readonly cmd: string;
  readonly line: { readonly from: string; readonly to: string; readonly amount: Amount };
  readonly creationTimeS: number;
  readonly ttlS: number;
  /** Head of the chain when the bytes were made: neither it nor a block below it can hold them. */
  readonly birth: BlockPlace;
  readonly state: 'signed' | 'sent' | 'included' | 'confirmed' | 'refused';
  /** Of one that is included, confirmed or refused. */
  readonly includedAt?: BlockPlace;
  /** The most blocks that were seen on top of that, where it is known. */
  readonly onTop?: number;
}

export interface Depths {
  /** D: blocks on top of one that is believed. */
  readonly depth: number;
  /** F: blocks on top of one that is followed no more. */
  readonly final: number;
}

/** Every block in which the bytes could be was read, and they are in none. */
export interface ExpiryProof {
  /** Below all that could hold them. */
  readonly from: BlockPlace;
  /** The first at or past the last time; it is at the depth. Its children can hold the bytes no more. */
  readonly to: BlockPlace;
}

export type Verdict =
  /** On no block of the chain, and may still come: send again. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'included'; readonly place: BlockPlace; readonly result: 'success' | 'failure' }
  | { readonly kind: 'confirmed'; readonly place: BlockPlace; readonly gasPaid: Amount }
  | { readonly kind: 'final'; readonly place: BlockPlace; readonly gasPaid: Amount }
  /** Failed on chain, at the depth: dead. */
  | {
      readonly kind: 'refused';
      readonly place: BlockPlace;
      readonly gasPaid: Amount;
      readonly why: string;
      readonly isFinal: boolean;
    }
  /** Its block left the chain: undo, then judge again, as it may be in another block already. `depth`: blocks seen on top. */
  | { readonly kind: 'left'; readonly place: BlockPlace; readonly depth: number }
  /** The same, and it had more than D on top: pause. */
  | { readonly kind: 'deep'; readonly place: BlockPlace; readonly depth: number }
  /** Dead: never included, and never will be. */
  | { readonly kind: 'expired'; readonly proof: ExpiryProof }
  /** It is in a block, and what happened is not the line: pause. */
  | {
      readonly kind: 'differs';
      readonly place: BlockPlace;
      readonly why: string;
      readonly transfers: readonly TransferFact[];
    }
  /** The sight does not reach down to what must be read: look again from there. */
  | { readonly kind: 'blind'; readonly fromHeight: number }
  /** Nodes disagree about the chain: nothing is decided. */
  | { readonly kind: 'withheld'; readonly why: string };

/**
 * A command may be in blocks whose parent is up to 95 s older than its creation time (`transfers.md`, 6); other networks may be
 * more generous. Where the block is gone on top of which it was made, all blocks from so long before it on are read.
 */
const EARLIEST_S = 600;
/** Blocks that are looked at further down at a time. */
const STEP_DOWN = 64;

type Found = { readonly block: CheckedBlock; readonly command: FoundCommand };

/** Nothing is concluded of a sight in which nodes disagree at the depth. */
export function judge(
  tx: JudgedTransaction,
  sight: ChainSight,
  depths: Depths,
  commands: Commands = commandsIn(sight),
): Verdict {
  const { blocks, head, troubles } = sight;
  const disagree = troubles.find(({ kind }) => kind === 'disagree');
  if (disagree) return { kind: 'withheld', why: disagree.says };
  if (!head) return { kind: 'withheld', why: `nothing is seen of chain ${sight.chainId}` };
  const gone = tx.includedAt && hasLeft(tx, tx.includedAt, sight, depths);
  if (gone) return gone;
  const found = commands.get(tx.requestKey);
  if (found) return ofFound(tx, found, head.height - found.block.height, depths);
  const before = lastWithout(tx, blocks);
  if (typeof before === 'number') return { kind: 'blind', fromHeight: before };
  return expiryOf(tx, blocks, before, head.height - depths.depth) ?? { kind: 'waiting' };
}

/**
 * Of a command of which nobody remembers on what block it was made: the proof that no block has it, and none will. A number: from which
 * height on to look for that. `undefined`: a block has it, or it may still come.
 */
export function deathOf(
  { requestKey, creationTimeS, ttlS }: Pick<JudgedTransaction, 'requestKey' | 'creationTimeS' | 'ttlS'>,
  sight: ChainSight,
  { depth }: Pick<Depths, 'depth'>,
  commands: Commands = commandsIn(sight),
): ExpiryProof | number | undefined {
  const { blocks, head, troubles } = sight;
  const [lowest] = blocks;
  if (!head || !lowest || troubles.some(({ kind }) => kind === 'disagree')) return undefined;
  if (commands.has(requestKey)) return undefined;
  const birth = { height: lowest.height, hash: 'of no block' };
  const before = lastWithout({ birth, creationTimeS }, blocks);
  const expiry = expiryOf({ creationTimeS, ttlS }, blocks, lowest, head.height - depth);
  return expiry && typeof before === 'number' ? before : expiry?.proof;
}

/** What becomes of one whose block is on the chain no more; `undefined` while it is. */
function hasLeft(
  { state, onTop = 0 }: JudgedTransaction,
  place: BlockPlace,
  { blocks, head, left }: ChainSight,
  { depth }: Depths,
): Verdict | undefined {
  const lowest = blocks[0]?.height ?? 0;
  if (place.height < lowest) return { kind: 'blind', fromHeight: place.height };
  if (blocks[place.height - lowest]?.hash === place.hash) return undefined;
  const seen = left.find(({ hash }) => hash === place.hash)?.depth;
  if (seen === undefined && place.height > (head?.height ?? 0))
    return { kind: 'withheld', why: `the chain ends below block ${place.height}: are the nodes behind?` };
  const known = state === 'confirmed' || state === 'refused' ? depth : 0;
  const atDepth = Math.max(seen ?? 0, known, onTop);
  return { kind: atDepth > depth ? 'deep' : 'left', place, depth: atDepth };
}

/** Of one sight, made once for all that are judged by it. */
type Commands = ReadonlyMap<string, Found>;

/** By request key; of one that is in two blocks the lower. */
export function commandsIn({ blocks }: Pick<ChainSight, 'blocks'>): Commands {
  const found = new Map<string, Found>();
  for (const block of blocks)
    for (const command of block.commands)
      if (!found.has(command.requestKey)) found.set(command.requestKey, { block, command });
  return found;
}

function ofFound(
  { cmd, line }: JudgedTransaction,
  { block, command }: Found,
  onTop: number,
  { depth, final }: Depths,
): Verdict {
  const place = { height: block.height, hash: block.hash };
  const { status, gasPaid, transfers, why = '' } = command;
  const differs = (what: string): Verdict => ({ kind: 'differs', place, why: what, transfers });
  if (command.cmd !== cmd) return differs('its text is not the one that was signed');
  if (status === 'unreadable') return differs(why);
  if (status === 'success' && !isLine(transfers, line)) return differs(`it moved ${inWords(transfers)}`);
  if (status === 'failure' && transfers.length > 0)
    return differs(`it failed, and moved ${inWords(transfers)}`);
  if (onTop < depth) return { kind: 'included', place, result: status };
  if (status === 'failure') return { kind: 'refused', place, gasPaid, why, isFinal: onTop >= final };
  return { kind: onTop >= final ? 'final' : 'confirmed', place, gasPaid };
}

function isLine(
  transfers: readonly TransferFact[],
  { from, to, amount }: JudgedTransaction['line'],
): boolean {
  const [only, more] = transfers;
  return !more && only?.from === from && only.to === to && only.amount === amount;
}

/** Characters: a command may move coins thousands of times. */
const LONGEST_SAID = 500;

function inWords(transfers: readonly TransferFact[]): string {
  const all = transfers.map(({ from, to, amount }) => `${formatAmount(amount)} from ${from} to ${to}`);
  return storable(all.join(', '), LONGEST_SAID) || 'nothing';
}

/** The last block below all that can hold it; or from which height on to look for that. */
function lastWithout(
  { birth, creationTimeS }: Pick<JudgedTransaction, 'birth' | 'creationTimeS'>,
  blocks: readonly CheckedBlock[],
): CheckedBlock | number {
  const [lowest] = blocks;
  if (!lowest) return birth.height;
  // Neither it nor a block below it can hold what was made on top of it.
  const born = blocks[birth.height - lowest.height];
  if (born?.hash === birth.hash) return born;
  if (birth.height < lowest.height) return birth.height;
  // It was orphaned: the chain may part from it at any depth, and only times say where the bytes could be first.
  if (lowest.height === 0 || lowest.timeS < creationTimeS - EARLIEST_S) return lowest;
  return Math.max(0, lowest.height - STEP_DOWN);
}

/** Where it is in none of these blocks: the proof that it never will be, once there is one. */
function expiryOf(
  { creationTimeS, ttlS }: Pick<JudgedTransaction, 'creationTimeS' | 'ttlS'>,
  blocks: readonly CheckedBlock[],
  before: BlockPlace,
  believed: number,
): Extract<Verdict, { kind: 'expired' }> | undefined {
  const last = blocks.find(({ timeS }) => timeS >= creationTimeS + ttlS);
  if (!last || last.height > believed) return undefined;
  const [from, to] = [
    { height: before.height, hash: before.hash },
    { height: last.height, hash: last.hash },
  ];
  return { kind: 'expired', proof: { from, to } };
}
