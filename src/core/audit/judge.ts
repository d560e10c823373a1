/** Whether a pool gave an account what is its part, by what the pool has signed: all that is shown is recomputed here. */
import { formatAmount, parseAmount } from '../money/amount.js';
import { hashOfText, type RootStatement, readStatement, type SignedRoot } from './root.js';
import { climb, type Step, type Totals } from './sum-tree.js';
import { type AtTimes, partOfWindow, piecesOf } from './window.js';

/** What is wrong, each a sentence that says what was shown and what was expected. */
export type Findings = string[];

/** A root whose signature is right. */
export interface KnownRoot extends RootStatement {
  readonly text: string;
  readonly key: string;
}

/** Whether the text is signed by the key that it comes with. */
export type IsSigned = (root: SignedRoot) => boolean | Promise<boolean>;

/** @param shown the latest first, without a gap. */
export async function checkChain(
  shown: readonly SignedRoot[],
  isSigned: IsSigned,
  findings: Findings,
): Promise<KnownRoot[]> {
  const roots: KnownRoot[] = [];
  for (const root of shown) {
    const read = readStatement(root.text);
    if (!read) findings.push(`${JSON.stringify(root.text.slice(0, 100))} is no root`);
    else if (!(await isSigned(root)))
      findings.push(`root ${read.number} is not signed by the key that it comes with`);
    else roots.push({ ...read, text: root.text, key: root.key });
  }
  for (const [i, { number, previous }] of roots.entries()) {
    const before = roots[i + 1];
    if (!before) continue;
    if (before.number !== number - 1)
      findings.push(`between root ${before.number} and root ${number} one is missing`);
    else if (previous !== hashOfText(before.text))
      findings.push(`root ${before.number} was another one when root ${number} was signed`);
  }
  return roots;
}

export interface ShownProof {
  readonly root: number;
  readonly salt: string;
  readonly work: string;
  readonly shares: string;
  readonly path: readonly (Omit<Step, 'work' | 'shares'> & {
    readonly work: string;
    readonly shares: string;
  })[];
}

/** What the account did up to a root; `undefined`, with a finding, where the proof does not lead to it. */
export function provenTotals(
  account: string,
  root: KnownRoot,
  proof: ShownProof,
  findings: Findings,
): Totals | undefined {
  const own = { work: BigInt(proof.work), shares: BigInt(proof.shares) };
  const path = proof.path.map((step) => ({ ...step, work: BigInt(step.work), shares: BigInt(step.shares) }));
  const top = climb({ account, salt: proof.salt, ...own }, path);
  const isIt = top.hash === root.hash && String(top.work) === root.work && String(top.shares) === root.shares;
  if (isIt) return own;
  findings.push(`the proof of what ${account} did does not lead to root ${root.number}`);
  return undefined;
}

/** Of a block that was split, as the pool shows it. */
export interface ShownSplit {
  readonly id: string;
  readonly chainId: number;
  readonly height: number;
  readonly scheme: string;
  readonly amount: string;
  readonly feeBasisPoints: number;
  readonly credited: string;
  /** The highest of the blocks of its ten seconds. */
  readonly difficulty: string;
  readonly windowWork: string | null;
  readonly until: string;
  readonly wholeFrom: string | null;
  readonly edgeFrom: string | null;
  readonly roundFrom: string | null;
  readonly paysRounds: boolean;
}

/** The times whose roots a split is checked by; `undefined` where roots do not tell its parts. */
export function timesOf(split: ShownSplit): { from?: string; edge?: string; until: string } | undefined {
  const { scheme, until, wholeFrom, edgeFrom, roundFrom, paysRounds } = split;
  if (scheme === 'prop') return { ...(roundFrom !== null && { from: roundFrom }), until };
  if (scheme !== 'pplns' || paysRounds) return undefined;
  return {
    ...(wholeFrom !== null && { from: wholeFrom }),
    ...(edgeFrom !== null && { edge: edgeFrom }),
    until,
  };
}

/** As a pool tells those who come. */
export interface PublishedRule {
  readonly scheme: string;
  /** `2x`: of shares as much work as two blocks take; or a time such as `6h`. Null under other schemes. */
  readonly window: string | null;
}

/** Findings where a window is none of the rule, or does not go as far back as it says: a shorter one would pay others. */
export function checkWindow(
  split: ShownSplit,
  rule: PublishedRule | null,
  everybody: AtTimes,
  findings: Findings,
): void {
  if (split.scheme !== 'pplns' || split.windowWork === null) return;
  const [, times] = /^([\d.]+)x$/.exec(rule?.window ?? '') ?? [];
  const ruled = times === undefined ? undefined : (BigInt(split.difficulty) * permilleOf(times)) / 1000n;
  if (ruled !== undefined && String(ruled) !== split.windowWork)
    findings.push(
      `${nameOf(split)}: its window was ${split.windowWork} of work, and by the rule that is published (${rule?.window}) it is ${ruled}, unless that was changed since`,
    );
  const { whole, edge } = piecesOf(everybody);
  const work = BigInt(split.windowWork);
  // All that there is may be less.
  if (whole <= work && (split.wholeFrom === null || work <= whole + edge)) return;
  findings.push(
    `${nameOf(split)}: its window of ${work} does not end where it is said to: all that counts is ${whole} and a part of ${edge}`,
  );
}

function permilleOf(times: string): bigint {
  const [whole = '', part = ''] = times.split('.');
  return BigInt(whole) * 1000n + BigInt(part.padEnd(3, '0').slice(0, 3));
}

function nameOf({ id, chainId, height }: ShownSplit): string {
  return `block ${id} (chain ${chainId}, height ${height})`;
}

/** Amounts of an account, of which one is its part: a unit that is left over goes to who has the largest remainder. */
export interface Part {
  readonly least: bigint;
  readonly most: bigint;
}

/** What the account is to get of a block. */
export function partOfSplit(split: ShownSplit, account: AtTimes, everybody: AtTimes): Part {
  const work = split.windowWork === null || split.scheme !== 'pplns' ? undefined : BigInt(split.windowWork);
  const { own, all } = partOfWindow(account, everybody, work);
  const amount = parseAmount(split.amount) ?? 0n;
  const part = all === 0n ? 0n : (amount * own) / all;
  const less = (whole: bigint): bigint => whole - (whole * BigInt(split.feeBasisPoints)) / 10_000n;
  return { least: less(part), most: own === 0n ? 0n : less(part + 1n) };
}

/** A finding where the account did not get its part. */
export function checkCredit(split: ShownSplit, { least, most }: Part, findings: Findings): void {
  const credited = parseAmount(split.credited) ?? -1n;
  if (credited >= least && credited <= most) return;
  findings.push(
    `${nameOf(split)}: ${split.credited} was credited, and ${formatAmount(least)} is the part of the account`,
  );
}
