/**
 * What the jobs of a resumable session were issued with: a submit is judged by that and not by what is in force later. A share target,
 * and the lease of nonce1 that the rig was to search with.
 */
import type { Job } from '../../core/jobs/job.js';
import { easierTarget, type Target } from '../../core/work/target.js';
import type { Lease } from './nonce-leases.js';

export interface Issue {
  readonly lease: Lease;
  /** The rig's own target; `undefined` for a job that it never was given. */
  readonly own: Target | undefined;
}

interface Change extends Issue {
  readonly fromJobNumber: number;
}

/** As plain data, for the next start of the bridge. */
export interface KeptIssues {
  readonly upTo: number;
  readonly changes: readonly {
    readonly fromJobNumber: number;
    readonly lease: Lease;
    readonly own: Target;
  }[];
}

function isGiven(change: Change): change is KeptIssues['changes'][number] {
  return change.own !== undefined;
}

/** Changes that are remembered of one resumable session; a late share from before them is worth nothing. */
export const MAX_CHANGES = 64;
/** Others of the same rig, or of its login, that are remembered, as long as there are fewer than `MAX_CHANGES` in all. */
export const MAX_EARLIER = 16;

/** What was issued elsewhere, up to the job at which it was left. */
interface Earlier {
  readonly targets: IssuedTargets;
  readonly upTo: number;
}

/** A job's target is the rig's own one, or the block target when that is easier. */
export function effectiveTarget(own: Target, job: Job): Target {
  return easierTarget(own, job.blockTarget);
}

export class IssuedTargets {
  /** Rising job numbers; a job belongs to the last change at or before it. */
  #changes: Change[] = [];
  #lastOwnNumber = 0;
  /** What the rig was given before, newest first, then what others of its login were. */
  #earlier: readonly Earlier[] = [];

  /** @param kept the rig's own first. */
  static of(kept: readonly KeptIssues[]): IssuedTargets {
    const [own, ...earlier] = kept.map(({ upTo, changes }) => {
      const targets = new IssuedTargets();
      targets.#changes.push(...changes.slice(-MAX_CHANGES));
      targets.#lastOwnNumber = upTo;
      return targets;
    });
    const issued = own ?? new IssuedTargets();
    issued.alsoKnow(earlier);
    return issued;
  }

  /** The rig's own first. */
  get kept(): readonly KeptIssues[] {
    const own = { upTo: this.#lastOwnNumber, changes: this.#changes };
    const earlier = this.#earlier.map(({ targets, upTo }) => ({ upTo, changes: targets.#changes }));
    return [own, ...earlier].map(({ upTo, changes }) => ({
      upTo,
      changes: changes.filter(isGiven),
    }));
  }

  /** Whether any job was issued. */
  get any(): boolean {
    return this.isOwn || this.#earlier.length > 0;
  }

  /** Whether any job was issued under this resumable session itself. */
  get isOwn(): boolean {
    return this.#lastOwnNumber > 0;
  }

  /** The last job that was issued under this lease, by whichever resumable session; 0 before the first. */
  lastJobUnder(lease: Lease): number {
    let last = this.#knows(lease) ? this.#lastOwnNumber : 0;
    for (const { targets, upTo } of this.#earlier) if (upTo > last && targets.#knows(lease)) last = upTo;
    return last;
  }

  /** Changes that are remembered. */
  get size(): number {
    return (
      this.#changes.length + this.#earlier.reduce((sum, { targets }) => sum + targets.#changes.length, 0)
    );
  }

  /**
   * From this job on the rig's own target is `own`, under this lease, until the next call says otherwise.
   *
   * @param oldestJob what was issued only with jobs before it is forgotten.
   */
  issue(job: Job, own: Target, lease: Lease, oldestJob: number): void {
    // A lease that was taken back may be of a group whose newest job is older than that of the lease in between.
    if (job.number < this.#lastOwnNumber) this.#setAside();
    this.#lastOwnNumber = job.number;
    this.#forgetBefore(oldestJob);
    const last = this.#changes.at(-1);
    if (last?.own === own && last.lease === lease) return;
    this.#changes.push({ fromJobNumber: job.number, own, lease });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** Remembers what the same rig was given before; nobody else needs that any more. */
  follow(former: IssuedTargets): void {
    this.#remember([former.#asEarlier, ...former.#earlier, ...this.#earlier]);
    former.#earlier = [];
  }

  /** Remembers what others were given, one of which the rig may have been. Looks at no more than it could remember. */
  alsoKnow(others: Iterable<IssuedTargets>): void {
    const earlier = [...this.#earlier];
    let looks = 0;
    for (const other of others) {
      const isKnown = other === this || earlier.some(({ targets }) => targets === other);
      if (!isKnown && other.any) earlier.push(other.#asEarlier);
      if (++looks >= MAX_EARLIER) break;
    }
    this.#remember(earlier);
  }

  #remember(earlier: readonly Earlier[]): void {
    let changes = this.#changes.length;
    this.#earlier = earlier.slice(0, MAX_EARLIER).filter(({ targets }) => {
      const isRoom = changes < MAX_CHANGES;
      changes += targets.#changes.length;
      return isRoom;
    });
  }

  /** What was issued so far becomes that of an earlier resumable session, so that changes rise. */
  #setAside(): void {
    const before = new IssuedTargets();
    before.#changes = this.#changes;
    before.#lastOwnNumber = this.#lastOwnNumber;
    this.#changes = [];
    this.#remember([before.#asEarlier, ...this.#earlier]);
  }

  get #asEarlier(): Earlier {
    return { targets: this, upTo: this.#lastOwnNumber };
  }

  /** What a job of this number was issued with, newest first: a rig that came back may have had it twice. */
  at(jobNumber: number): Issue[] {
    const own = this.#changeAt(jobNumber);
    if (this.#earlier.length === 0) return own ? [own] : [];
    const earlier = this.#earlier.filter(({ upTo }) => jobNumber <= upTo);
    return [own, ...earlier.map(({ targets }) => targets.#changeAt(jobNumber))].filter(
      (change) => change !== undefined,
    );
  }

  /** Each change holds up to the next one. */
  #forgetBefore(oldestJob: number): void {
    while ((this.#changes[1]?.fromJobNumber ?? Number.POSITIVE_INFINITY) <= oldestJob) this.#changes.shift();
    if (this.#earlier.some(({ upTo }) => upTo < oldestJob))
      this.#earlier = this.#earlier.filter(({ upTo }) => upTo >= oldestJob);
  }

  #knows({ nonce1, group }: Lease): boolean {
    // From the end: the newest is nearly always of the same lease.
    return (
      this.#changes.findLast(({ lease }) => lease.nonce1 === nonce1 && lease.group === group) !== undefined
    );
  }

  #changeAt(jobNumber: number): Change | undefined {
    const last = this.#changes.at(-1);
    // Nearly always: rigs work on what came last.
    if (last && last.fromJobNumber <= jobNumber) return last;
    return this.#changes.findLast((change) => change.fromJobNumber <= jobNumber);
  }
}
