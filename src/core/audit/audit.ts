/** Goes through the splits of an account: finds their roots and proofs, and judges each. */
import {
  checkChain,
  checkCredit,
  checkWindow,
  type Findings,
  type IsSigned,
  type KnownRoot,
  type PublishedRule,
  partOfSplit,
  provenTotals,
  type ShownProof,
  type ShownSplit,
  timesOf,
} from './judge.js';
import type { LoggedShare } from './rig-log.js';
import type { SignedRoot } from './root.js';
import type { Totals } from './sum-tree.js';

export interface Judged extends Pick<ShownSplit, 'id' | 'chainId' | 'height' | 'scheme' | 'credited'> {
  /** Of all that counts for the block, what the account did. */
  readonly part: number | null;
  /** In one word. */
  readonly verdict: 'right' | 'wrong' | 'unchecked';
}

interface Audit {
  readonly roots: readonly KnownRoot[];
  readonly splits: readonly Judged[];
  readonly findings: Findings;
}

/** Accepted just before a root, a share may be in the next one. */
const ON_ITS_WAY_MS = 120_000;
/** A rig knows the difficulty of its shares only to so many parts. */
const ROUNDING = 1_000_000n;

/** What a pool shows, however it is asked. */
export interface AuditSource {
  /** That it goes by now; null while it is not told. */
  rule(): Promise<PublishedRule | null>;
  splits(): Promise<readonly ShownSplit[]>;
  /** The latest first, back to the first whose time is not after `since`, or to the first of all. */
  rootsSince(since: string): Promise<readonly SignedRoot[]>;
  /** Of those roots that the account is part of. */
  proofs(numbers: readonly number[]): Promise<readonly ShownProof[]>;
  readonly isSigned: IsSigned;
}

/** @param log what its rigs were answered, as far as it is known. */
export async function auditOf(
  account: string,
  source: AuditSource,
  log?: readonly LoggedShare[],
): Promise<Audit> {
  const findings: Findings = [];
  const rule = await source.rule();
  const splits = await source.splits();
  const logFrom = log?.length ? new Date(Math.min(...log.map(({ atMs }) => atMs))).toISOString() : undefined;
  const since = [...splits.flatMap(namedTimes), ...(logFrom === undefined ? [] : [logFrom])].sort()[0];
  const shown = await source.rootsSince(since ?? new Date().toISOString());
  const roots = await checkChain(shown, source.isSigned, findings);
  const known = new Roots(account, roots, findings);
  const byTime = [...roots].sort((a, b) => (a.until < b.until ? -1 : 1));
  const logRoot = logFrom === undefined ? undefined : byTime.findLast(({ until }) => until <= logFrom);
  const last = byTime.at(-1);
  const named = splits.flatMap((split) => namedTimes(split).flatMap((time) => known.at(time)?.number ?? []));
  const wanted = [...named, ...[logRoot, last].flatMap((root) => root?.number ?? [])];
  await known.prove(source, [...new Set(wanted)]);
  const judged = splits.map((split) => judge(split, rule, known, findings));
  if (log && last) compareLog(log, { from: logRoot, until: last }, known, findings);
  return { roots, splits: judged, findings };
}

function namedTimes(split: ShownSplit): string[] {
  const times = timesOf(split);
  return times ? Object.values(times) : [];
}

/** Roots by their time, with what the account is proven to have done up to each. */
class Roots {
  readonly #account: string;
  readonly #findings: Findings;
  readonly #byTime: ReadonlyMap<string, KnownRoot>;
  readonly #first: KnownRoot | undefined;
  readonly #own = new Map<number, Totals>();

  constructor(account: string, roots: readonly KnownRoot[], findings: Findings) {
    this.#account = account;
    this.#findings = findings;
    this.#byTime = new Map(roots.map((root) => [root.until, root]));
    this.#first = roots.find(({ number }) => number === 1);
  }

  at(time: string): KnownRoot | undefined {
    return this.#byTime.get(time);
  }

  /** Before the first root nobody has done anything. */
  isBeforeAll(time: string): boolean {
    return this.#first !== undefined && [...this.#byTime.keys()].every((until) => time < until);
  }

  async prove(source: AuditSource, numbers: readonly number[]): Promise<void> {
    const byNumber = new Map([...this.#byTime.values()].map((root) => [root.number, root]));
    for (const proof of await source.proofs(numbers)) {
      const root = byNumber.get(proof.root);
      const own = root && provenTotals(this.#account, root, proof, this.#findings);
      if (own) this.#own.set(proof.root, own);
    }
    this.#checkOrder();
  }

  /** What was done once stays done: of the account, and of everybody. */
  #checkOrder(): void {
    const inTime = [...this.#byTime.values()].sort((a, b) => (a.until < b.until ? -1 : 1));
    let [own, all] = [0n, 0n];
    for (const { number, work } of inTime) {
      if (BigInt(work) < all) this.#findings.push(`root ${number} has less work than one of before its time`);
      all = BigInt(work);
      const mine = this.#own.get(number)?.work;
      if (mine === undefined) continue;
      if (mine < own)
        this.#findings.push(`root ${number} has less work of the account than one of before its time`);
      own = mine;
    }
  }

  ownAt({ number }: KnownRoot): Totals | undefined {
    return this.#own.get(number);
  }
}

/** Before the first root. */
const NOTHING = { work: 0n };

function judge(split: ShownSplit, rule: PublishedRule | null, roots: Roots, findings: Findings): Judged {
  const { id, chainId, height, scheme, credited } = split;
  const shown = { id, chainId, height, scheme, credited };
  const times = timesOf(split);
  if (!times) return { ...shown, part: null, verdict: 'unchecked' };
  const before = findings.length;
  const rootAt = (time: string | undefined): KnownRoot | undefined => {
    if (time === undefined || roots.isBeforeAll(time)) return undefined;
    const root = roots.at(time);
    if (!root) findings.push(`block ${id}: there is no root of ${time}, by which it is split`);
    return root;
  };
  const [edge, from, until] = [rootAt(times.edge), rootAt(times.from), rootAt(times.until)];
  if (!until || findings.length > before) return { ...shown, part: null, verdict: 'wrong' };
  const worked = (of: (root: KnownRoot) => { readonly work: bigint }) => ({
    ...(times.edge !== undefined && { edgeFrom: edge ? of(edge) : NOTHING }),
    wholeFrom: from ? of(from) : NOTHING,
    until: of(until),
  });
  const own = worked((root) => roots.ownAt(root) ?? NOTHING);
  const all = worked(({ work }) => ({ work: BigInt(work) }));
  checkWindow(split, rule, all, findings);
  const part = partOfSplit(split, own, all);
  checkCredit(split, part, findings);
  const verdict = findings.length > before ? 'wrong' : 'right';
  return { ...shown, part: Number(part.least) / (Number(split.amount) * 1e12), verdict };
}

/** A pool that leaves out shares has less of the account in its roots than its rigs were answered. */
function compareLog(
  log: readonly LoggedShare[],
  { from, until }: { readonly from: KnownRoot | undefined; readonly until: KnownRoot },
  roots: Roots,
  findings: Findings,
): void {
  const untilMs = Date.parse(until.until) - ON_ITS_WAY_MS;
  const answered = log.filter(({ atMs }) => atMs < untilMs).reduce((sum, { work }) => sum + work, 0n);
  const booked = (roots.ownAt(until)?.work ?? 0n) - ((from && roots.ownAt(from)?.work) ?? 0n);
  if (answered - answered / ROUNDING <= booked) return;
  findings.push(
    `the rigs were answered that ${answered} hashes of work were accepted before ${new Date(untilMs).toISOString()}, and the roots have ${booked}`,
  );
}

/** In a sentence, without its end. */
export function verdictOf(account: string, { splits, findings, roots }: Audit): string {
  const checked = splits.filter(({ verdict }) => verdict !== 'unchecked').length;
  const wrong = splits.filter(({ verdict }) => verdict === 'wrong').length;
  const left = splits.length - checked;
  const others =
    left === 0 ? '' : `; ${left} not checked: solo, pps and rounds of before go by what roots do not tell`;
  const counts = `blocks checked: ${checked}, by roots: ${roots.length}${others}`;
  if (findings.length > 0)
    return `${account} did not get what the roots say, or they are not right (wrong: ${wrong}; ${counts})`;
  return checked === 0
    ? `no block was split yet that could be checked${others}`
    : `${account} got its part of each block (${counts})`;
}
