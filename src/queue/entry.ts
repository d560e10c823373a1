/**
 * An entry as it stands in BullMQ and in the spool: JSON, names and jobs said once.
 *
 *     {"v":1,"id":["2b1f…",17],"miners":[["k:ab…","rig1"]],"jobs":[["1f",3,4711,"90000"]],
 *      "shares":[[0,0,"1000",1700000000000]],"rejections":[[0,"stale",1700000000000,2,"2000"]]}
 *
 * `miners` are account and rig; `jobs` are job id, chain id, height and block difficulty; `shares` are numbers into both,
 * difficulty and the time of acceptance in milliseconds; `rejections` are a number into miners, reason, time, count and work.
 */
import { z } from 'zod';
import type { EntryId, ShareEntry } from '../bridge/ports.js';
import { storable } from '../core/names.js';
import type { Rejection, Share } from '../core/share.js';

export const MAX_SHARES_PER_ENTRY = 10_000;
/** More than are ever counted at a time, for each reason once more. */
const MAX_REJECTIONS_PER_ENTRY = 10_000;
const MAX_NAME_LENGTH = 512;
const VERSION = 1;

/** What came is no entry. */
export class EntryFormatError extends Error {
  override readonly name = 'EntryFormatError';
  readonly code = 'entry-format';
}

/** What came is an entry of a later version of the bridge: a recorder of that version can read it. */
export class EntryVersionError extends Error {
  override readonly name = 'EntryVersionError';
  readonly code = 'entry-version';
}

const index = z.number().int().nonnegative();
const DECIMAL = /^[1-9]\d{0,77}$/;
const decimal = z.string().regex(DECIMAL);
/** Of difficulties. */
const sum = z.string().regex(/^(0|[1-9]\d{0,99})$/);
const name = z.string().max(MAX_NAME_LENGTH);
const list = <T extends z.ZodType>(item: T, max: number) => z.array(item).max(max);
/** A reason that only a later version knows counts under its name: nobody's shares wait for it. */
const reason = z
  .string()
  .regex(/^[a-zA-Z]{1,40}$/)
  .transform((text) => text as Rejection);

/** Numbers of miner and job, difficulty, time in milliseconds. */
type EncodedShare = [number, number, string, number];

/** A fifth of the time of the same said in a schema of tuples: shares are all that there are many of. */
function isEncodedShare(value: unknown): value is EncodedShare {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [miner, job, difficulty, acceptedAtMs]: unknown[] = value;
  return (
    Number.isSafeInteger(miner) &&
    Number.isSafeInteger(job) &&
    typeof difficulty === 'string' &&
    DECIMAL.test(difficulty) &&
    Number.isSafeInteger(acceptedAtMs)
  );
}

const REJECTION = z.tuple([index, reason, z.number().int(), index, sum.optional()]);

const ENTRY = z.object({
  v: z.literal(VERSION),
  id: z.tuple([z.uuid(), z.number().int().positive()]),
  miners: list(z.tuple([name, name]), MAX_SHARES_PER_ENTRY + MAX_REJECTIONS_PER_ENTRY),
  jobs: list(z.tuple([name, index, index, decimal]), MAX_SHARES_PER_ENTRY),
  shares: list(z.custom<EncodedShare>(isEncodedShare, 'not a share'), MAX_SHARES_PER_ENTRY),
  // Entries of before the work was counted come without it.
  rejections: list(REJECTION, MAX_REJECTIONS_PER_ENTRY).default([]),
});

export type EncodedEntry = z.infer<typeof ENTRY>;

const NAMED = z.object({ id: ENTRY.shape.id });

/** What a record of the spool holds, as it is: recorders read it, of this version or a later one. `undefined`: no entry. */
export function entryOfRecord(text: string): EncodedEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return NAMED.safeParse(value).success ? (value as EncodedEntry) : undefined;
  } catch {
    return undefined; // whoever asks puts it aside, aloud
  }
}

/** No ':' and no mere number, which BullMQ does not take as an id. */
export function entryKey(id: EntryId): string {
  return `${id.producer}-${id.number}`;
}

/** @param entry of one producer, whose job ids each mean one job: those of a height have one block difficulty. */
export function encodeEntry(entry: ShareEntry): EncodedEntry {
  const miners = new Dictionary<[string, string]>();
  const jobs = new Dictionary<[string, number, number, string]>();
  const placeMiner = ({ account, rig }: { account: string; rig: string }): number =>
    miners.place(`${account.length} ${account}${rig}`, () => [
      storable(account, MAX_NAME_LENGTH),
      storable(rig, MAX_NAME_LENGTH),
    ]);
  const placeJob = ({ jobId, chainId, height, blockDifficulty }: Share): number =>
    jobs.place(`${chainId} ${height} ${jobId}`, () => [jobId, chainId, height, blockDifficulty.toString()]);
  const shares = entry.shares.map(
    (share): EncodedShare => [
      placeMiner(share),
      placeJob(share),
      share.difficulty.toString(),
      share.acceptedAtMs,
    ],
  );
  const rejections = entry.rejections.map((rejection): EncodedEntry['rejections'][number] => [
    placeMiner(rejection),
    rejection.reason,
    rejection.sinceMs,
    rejection.submits,
    rejection.work.toString(),
  ]);
  const id: EncodedEntry['id'] = [entry.id.producer, entry.id.number];
  return { v: 1, id, miners: miners.items, jobs: jobs.items, shares, rejections };
}

/** Throws {@link EntryFormatError} for anything that {@link encodeEntry} does not make, {@link EntryVersionError} for what a later one does. */
export function decodeEntry(data: unknown): ShareEntry {
  const version = (data as { v?: unknown } | null | undefined)?.v;
  if (typeof version === 'number' && version > VERSION) {
    const words = `the entry is of version ${version}, this recorder reads ${VERSION}: start a recorder of the version of the bridge`;
    throw new EntryVersionError(words);
  }
  const { success, data: encoded, error } = ENTRY.safeParse(data);
  if (!success) throw new EntryFormatError(`no entry: ${z.prettifyError(error)}`, { cause: error });
  const [producer, number] = encoded.id;
  const jobs = encoded.jobs.map(([jobId, chainId, height, blockDifficulty]) => {
    return { jobId, chainId, height, blockDifficulty: BigInt(blockDifficulty) };
  });
  return {
    id: { producer, number },
    shares: encoded.shares.map(([miner, job, difficulty, acceptedAtMs]) => {
      const [account, rig] = at(encoded.miners, miner, 'miner');
      const { jobId, chainId, height, blockDifficulty } = at(jobs, job, 'job');
      return {
        account,
        rig,
        jobId,
        chainId,
        height,
        difficulty: BigInt(difficulty),
        blockDifficulty,
        acceptedAtMs,
      };
    }),
    rejections: encoded.rejections.map(([miner, reason, sinceMs, submits, work = '0']) => {
      const [account, rig] = at(encoded.miners, miner, 'miner');
      return { account, rig, reason, sinceMs, submits, work: BigInt(work) };
    }),
  };
}

function at<T>(items: readonly T[], index: number, what: string): T {
  const item = items[index];
  if (item === undefined) throw new EntryFormatError(`no entry: it has no ${what} ${index}`);
  return item;
}

/** Items said once, in order of their first use. */
class Dictionary<T> {
  readonly items: T[] = [];
  readonly #places = new Map<string, number>();

  place(key: string, make: () => T): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.items.length);
    return this.items.push(make()) - 1;
  }
}
