/**
 * What outlives a connection: all that a rig finds again when it comes back. A session borrows it; without one it waits among the resumable
 * ones for as long as its nonce1 rests, also over a restart of the bridge.
 */

import type { Job } from '../../core/jobs/job.js';
import { HashRateMeter, type KeptMeter, SESSION_WINDOWS_MS } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Login } from '../admission/accounts.js';
import { type Issue, IssuedTargets, type KeptIssues } from './issued-targets.js';
import type { Lease } from './nonce-leases.js';
import { type KeptShareTarget, ShareTarget } from './share-target.js';

/** As plain data, for the next start of the bridge. */
export interface KeptResumable {
  /** How long it waits for its rig yet. */
  readonly leavesInMs: number;
  readonly addressKey: string;
  readonly lease: Lease;
  readonly token: string;
  readonly logins: readonly Login[];
  /** Its own first. */
  readonly issued: readonly KeptIssues[];
  readonly shareTarget: KeptShareTarget;
  readonly meter?: KeptMeter | undefined;
  readonly formerDifficulty?: number | undefined;
  readonly bestShare: number;
  readonly accepted: number;
  readonly rejected: Partial<Record<Rejection, number>>;
}

export class ResumableSession {
  /** As limits see it; a rig that only names its nonce1 must come from the same one. */
  readonly addressKey: string;
  lease: Lease | undefined;
  /** Known to the rig alone; there once a lease is. */
  token: string | undefined;
  /** Those it has authorized. */
  logins: readonly Login[] = [];
  readonly issued: IssuedTargets;
  shareTarget: ShareTarget;
  /** Of its shares. From the first on: many rigs that only wait hold less without. */
  meter: HashRateMeter | undefined;
  /** What vardiff had found for the rig before this resumable session began. */
  formerDifficulty: number | undefined;
  bestShare = 0;
  accepted = 0;
  /** By reason; absent before the first. */
  rejected: Map<Rejection, number> | undefined;

  constructor(addressKey: string, shareTarget: ShareTarget, issued = new IssuedTargets()) {
    this.addressKey = addressKey;
    this.shareTarget = shareTarget;
    this.issued = issued;
  }

  /** @param agoMs since it was kept. Throws RangeError for what no bridge keeps. */
  static of(kept: KeptResumable, agoMs: number, nowMs: number): ResumableSession {
    const resumable = new ResumableSession(
      kept.addressKey,
      ShareTarget.of(kept.shareTarget, nowMs),
      IssuedTargets.of(kept.issued),
    );
    resumable.lease = kept.lease;
    resumable.token = kept.token;
    resumable.logins = kept.logins;
    resumable.meter = kept.meter && HashRateMeter.of(kept.meter, agoMs, nowMs);
    resumable.formerDifficulty = kept.formerDifficulty;
    resumable.bestShare = kept.bestShare;
    resumable.accepted = kept.accepted;
    const rejected = Object.entries(kept.rejected) as [Rejection, number][];
    if (rejected.length > 0) resumable.rejected = new Map(rejected);
    return resumable;
  }

  /** `undefined` without a lease: there is nothing to come back to. */
  kept(leavesInMs: number, nowMs: number): KeptResumable | undefined {
    const { addressKey, lease, token, logins, formerDifficulty, bestShare, accepted } = this;
    if (!lease || token === undefined) return undefined;
    return {
      ...{ leavesInMs, addressKey, lease, token, logins, formerDifficulty, bestShare, accepted },
      issued: this.issued.kept,
      shareTarget: this.shareTarget.kept,
      meter: this.meter?.kept(nowMs),
      rejected: Object.fromEntries(this.rejected ?? []),
    };
  }

  /** Whether a share of a job may still come that its rig was given. */
  get hasJobs(): boolean {
    return this.issued.any;
  }

  /** What is in force for it says nothing about its rig. */
  get isFresh(): boolean {
    return !this.issued.isOwn;
  }

  /** Remembers what the job is issued with; only with a lease. */
  issue(job: Job, oldestJob: number): void {
    if (this.lease) this.issued.issue(job, this.shareTarget.own, this.lease, oldestJob);
  }

  /** What a job of this number was issued with, at least one; `undefined` before the first lease. */
  issuesAt(jobNumber: number | undefined): readonly Issue[] | undefined {
    if (!this.lease) return undefined;
    const issues = jobNumber === undefined ? [] : this.issued.at(jobNumber);
    return issues.length > 0 ? issues : [{ lease: this.lease, own: undefined }];
  }

  /** @param sinceMs since when the rig has been here, where this is its first share. */
  credit(difficulty: number, reached: number, sinceMs: number, nowMs: number): void {
    this.meter ??= new HashRateMeter(sinceMs, SESSION_WINDOWS_MS);
    this.meter.add(difficulty, nowMs);
    this.bestShare = Math.max(this.bestShare, reached);
    this.accepted++;
  }

  refuse(reason: Rejection): void {
    this.rejected ??= new Map();
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
  }

  /** The rig had another resumable session before it was known who it is: what is in that is its own, but for lease and token. */
  follow(former: ResumableSession): void {
    this.issued.follow(former.issued);
    this.formerDifficulty = former.shareTarget.steeredDifficulty ?? former.formerDifficulty;
    this.meter ??= former.meter;
    this.bestShare = Math.max(this.bestShare, former.bestShare);
    this.accepted += former.accepted;
    for (const [reason, count] of former.rejected ?? []) {
      this.rejected ??= new Map();
      this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + count);
    }
  }
}
