/**
 * An entry as it stands in BullMQ and in the spool: JSON, names and jobs said once.
 *
 *     {"v":1,"id":["2b1f…",17],"miners":[["k:ab…","rig1"]],"jobs":[["1f",3,4711,"90000"]],
 *      "shares":[[0,0,"1000",1700000000000]],"rejections":[[0,"stale",1700000000000,2]]}
 *
 * `miners` are account and rig; `jobs` are job id, chain id, height and block difficulty; `shares` are numbers into both,
 * difficulty and the time of acceptance in milliseconds; `rejections` are a number into miners, reason, time and count.
 */
import { z } from 'zod';
import type { EntryId, ShareEntry } from '../bridge/ports.js';
import { REJECTIONS, type Share } from '../core/share.js';

export const MAX_SHARES_PER_ENTRY = 10_000;
const MAX_NAME_LENGTH = 512;

/** What came is no entry. */
export class EntryFormatError extends Error {
  override readonly name = 'EntryFormatError';
  readonly code = 'entry-format';
}

const index = z.number().int().nonnegative();
const decimal = z.string().regex(/^[1-9]\d{0,77}$/);
const name = z.string().max(MAX_NAME_LENGTH);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(MAX_SHARES_PER_ENTRY);

const ENTRY = z.object({
  v: z.literal(1),
  id: z.tuple([z.uuid(), z.number().int().positive()]),
  miners: list(z.tuple([name, name])),
  jobs: list(z.tuple([name, index, index, decimal])),
  shares: list(z.tuple([index, index, decimal, z.number().int()])),
  rejections: list(z.tuple([index, z.enum(REJECTIONS), z.number().int(), index])).default([]),
});

export type EncodedEntry = z.infer<typeof ENTRY>;

/** No ':' and no mere number, which BullMQ does not take as an id. */
export function entryKey(id: EntryId): string {
  return `${id.producer}-${id.number}`;
}

/** @param entry of one producer, whose job ids each mean one job. */
export function encodeEntry(entry: ShareEntry): EncodedEntry {
  const miners = new Dictionary<[string, string]>();
  const jobs = new Dictionary<[string, number, number, string]>();
  const placeMiner = ({ account, rig }: { account: string; rig: string }): number =>
    miners.place(`${account.length} ${account}${rig}`, () => [storable(account), storable(rig)]);
  const placeJob = ({ jobId, chainId, height, blockDifficulty }: Share): number =>
    jobs.place(jobId, () => [jobId, chainId, height, blockDifficulty.toString()]);
  const shares = entry.shares.map((share): EncodedEntry['shares'][number] => [
    placeMiner(share),
    placeJob(share),
    share.difficulty.toString(),
    share.acceptedAtMs,
  ]);
  const rejections = entry.rejections.map((rejection): EncodedEntry['rejections'][number] => [
    placeMiner(rejection),
    rejection.reason,
    rejection.sinceMs,
    rejection.submits,
  ]);
  const id: EncodedEntry['id'] = [entry.id.producer, entry.id.number];
  return { v: 1, id, miners: miners.items, jobs: jobs.items, shares, rejections };
}

/** Throws {@link EntryFormatError} for anything that {@link encodeEntry} does not make. */
export function decodeEntry(data: unknown): ShareEntry {
  const { success, data: encoded, error } = ENTRY.safeParse(data);
  if (!success) throw new EntryFormatError(`no entry: ${z.prettifyError(error)}`, { cause: error });
  const [producer, number] = encoded.id;
  return {
    id: { producer, number },
    shares: encoded.shares.map((share) => decodeShare(encoded, share)),
    rejections: encoded.rejections.map(([at, reason, sinceMs, submits]) => {
      const [account, rig] = minerAt(encoded, at);
      return { account, rig, reason, sinceMs, submits };
    }),
  };
}

function minerAt(encoded: EncodedEntry, at: number): [string, string] {
  const miner = encoded.miners[at];
  if (!miner) throw new EntryFormatError(`no entry: it has no miner ${at}`);
  return miner;
}

function decodeShare(encoded: EncodedEntry, share: EncodedEntry['shares'][number]): Share {
  const [minerIndex, jobIndex, difficulty, acceptedAtMs] = share;
  const [account, rig] = minerAt(encoded, minerIndex);
  const job = encoded.jobs[jobIndex];
  if (!job) throw new EntryFormatError(`no entry: it has no job ${jobIndex}`);
  const [jobId, chainId, height, blockDifficulty] = job;
  return {
    account,
    rig,
    jobId,
    chainId,
    height,
    difficulty: BigInt(difficulty),
    blockDifficulty: BigInt(blockDifficulty),
    acceptedAtMs,
  };
}

/** PostgreSQL's text and jsonb take neither NUL nor half a surrogate pair; one such name must not stop all shares. */
function storable(text: string): string {
  return text.slice(0, MAX_NAME_LENGTH).replace(/[\0\ud800-\udfff]/gu, '\ufffd');
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
