/**
 * What rigs come back to after a restart: written when a bridge has stopped in order, taken by its next start.
 *
 *     resumable-sessions.json    a line each: {"version":2,"at":"2026-…"}, then {"work":…}, {"job":…}, {"nonces":[job,"…"]},
 *                               {"resumable":…}, {"difficulty":[…]}, {"goodRigs":[…]}, {"past":[…]}
 *
 * Both ways it goes a piece at a time, between which the process does what else there is to do: of 20,000 rigs all at once
 * takes seconds. Its tokens are secrets of rigs. It is removed as soon as it is in use: after a crash it would tell of shares
 * too few.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { toHex } from '../../core/bytes/bytes.js';
import type { KeptJob, KeptJobs } from '../../core/jobs/kept-jobs.js';
import type { Nonce1 } from '../../core/jobs/nonce.js';
import { STALENESSES } from '../../core/jobs/staleness.js';
import type { Log } from '../../core/names/log.js';
import { REJECTIONS } from '../../core/shares/rejections.js';
import { type Target, targetFromBytes } from '../../core/work/target.js';
import { writeDurably } from '../../files/write-durably.js';
import type { Former, KeptRigs } from '../../stratum/resume/former.js';
import { MAX_CHANGES, MAX_EARLIER } from '../../stratum/resume/issued-targets.js';
import type { KeptResumable } from '../../stratum/resume/resumable-session.js';
import { readWhole } from '../books/whole-file.js';

/** Both sides of a start: jobs, and who works on them. */
interface KeptStart {
  readonly jobs: KeptJobs;
  readonly rigs: KeptRigs;
}

export interface FormerStart extends KeptStart, Former {
  /** It is in use: a start after a crash is to know nothing of it. */
  used(): Promise<void>;
}

/** Several times what 100,000 rigs with ten shares a second each leave behind. */
const MAX_BYTES = 256 * 1024 * 1024;

const VERSION = 2;
/** Characters after which a piece ends with its line. */
export const PIECE = 64 * 1024;
/** Characters of a line; more than a rig with thousands of names has. */
const MAX_LINE = 1024 * 1024;
/** A job may have many megabytes of them. */
const NONCE_BYTES_A_LINE = 32 * 1024;

const BYTES = z.base64().transform((text) => Uint8Array.from(Buffer.from(text, 'base64')));
const TARGET = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((hex): Target => targetFromBytes(Buffer.from(hex, 'hex')));
const DIFFICULTY = z
  .string()
  .regex(/^[1-9]\d{0,77}$/)
  .transform((digits) => BigInt(digits));
const NONCE1 = z
  .int()
  .min(0)
  .max(0xffff)
  .transform((number) => number as Nonce1);
const COUNT = z.int().min(0);
const NUMBER = z.number().min(0);
const NAME = z.string().max(256);

const WORK = z.strictObject({ node: z.string(), bytes: BYTES });
const JOB = z.strictObject({
  number: COUNT,
  work: COUNT,
  group: COUNT,
  clean: z.boolean(),
  time: z.string().regex(/^\d{1,20}$/),
  ended: z.strictObject({ forMs: NUMBER, because: z.enum(STALENESSES) }).optional(),
});
/** Of the job of this number. */
const NONCES = z.tuple([COUNT, BYTES]);

const LEASE = z.strictObject({ nonce1: NONCE1, group: COUNT });
const CHANGE = z
  .tuple([COUNT, NONCE1, COUNT, TARGET])
  .transform(([fromJobNumber, nonce1, group, own]) => ({ fromJobNumber, lease: { nonce1, group }, own }));
const ISSUES = z.strictObject({ upTo: COUNT, changes: z.array(CHANGE).max(MAX_CHANGES) });
const SHARE_TARGET = z.strictObject({
  settings: z.strictObject({
    secondsPerShare: NUMBER,
    startDifficulty: NUMBER,
    minDifficulty: NUMBER,
    maxDifficulty: NUMBER,
    powersOfTwo: z.boolean(),
  }),
  difficulty: NUMBER.optional(),
  isKnown: z.boolean(),
  chosen: NUMBER.optional(),
  ordered: DIFFICULTY.optional(),
  fixed: DIFFICULTY.optional(),
});
const METER = z.strictObject({
  windowsMs: z.array(NUMBER).max(8),
  forMs: NUMBER,
  slotsMs: z.array(NUMBER).max(8),
  sums: z
    .array(NUMBER)
    .max(256)
    .transform((sums) => Float32Array.from(sums)),
});
const RESUMABLE = z.strictObject({
  leavesInMs: NUMBER,
  addressKey: NAME,
  lease: LEASE,
  token: NAME,
  logins: z.array(z.strictObject({ account: NAME, rig: NAME })),
  issued: z.array(ISSUES).max(1 + MAX_EARLIER),
  shareTarget: SHARE_TARGET,
  meter: METER.optional(),
  formerDifficulty: NUMBER.optional(),
  bestShare: NUMBER,
  accepted: COUNT,
  rejected: z.partialRecord(z.enum(REJECTIONS), COUNT),
});

const PLACE = z.string().max(1024);
const HALVES = z.tuple([NUMBER, NUMBER]);
const GOOD_RIGS = z.tuple([NAME, HALVES]);
const HISTORY = z.tuple([PLACE, HALVES, HALVES, HALVES]);
const BEGINNING = z.strictObject({ version: z.literal(VERSION), at: z.iso.datetime() });

function formerRigsIn(folder: string): string {
  return join(folder, 'resumable-sessions.json');
}

/** `undefined` when there is nothing, or nothing that can be read: that is told and set aside. */
export async function readFormer(folder: string, log: Log): Promise<FormerStart | undefined> {
  const path = formerRigsIn(folder);
  const text = await readWhole(path, MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    const { at, ...start } = await parse(text);
    return {
      ...start,
      agoMs: Math.max(0, Date.now() - Date.parse(at)),
      used: () => rm(path, { force: true }),
    };
  } catch (error) {
    const aside = `${path}.damaged`;
    await rename(path, aside);
    const words = `${path} cannot be read and is set aside as ${aside}: late shares of before this start are refused, and rigs begin at the difficulty of new ones`;
    log.warn({ event: 'resumable-sessions-damaged', fault: faultOf(error as Error) }, words);
    return undefined;
  }
}

/** After the last submit was judged. Never rejects: without it rigs begin anew. */
export async function keepForNext(folder: string, start: KeptStart, log: Log): Promise<void> {
  try {
    await writeDurably(formerRigsIn(folder), piecesOf(start));
  } catch (error) {
    const words =
      'what rigs come back to cannot be written down: their late shares are refused after the next start';
    log.warn({ error: (error as Error).message }, words);
  }
}

async function parse(text: string): Promise<KeptStart & { readonly at: string }> {
  const read = readerOfLines();
  let end = text.indexOf('\n');
  const { at } = BEGINNING.parse(JSON.parse(end < 0 ? text : text.slice(0, end)));
  let turnAt = PIECE;
  while (end >= 0 && end + 1 < text.length) {
    const begin = end + 1;
    end = text.indexOf('\n', begin);
    const lineEnd = end < 0 ? text.length : end;
    if (lineEnd - begin > MAX_LINE) throw new Error(`a line has more than ${MAX_LINE} characters`);
    read.line(text.slice(begin, lineEnd));
    if (begin < turnAt) continue;
    turnAt = begin + PIECE;
    await nextTurn();
  }
  return { at, ...read.start() };
}

/** Each line tells of one thing. */
function readerOfLines() {
  const works: z.output<typeof WORK>[] = [];
  const jobs: Omit<KeptJob, 'nonces'>[] = [];
  const nonces = new Map<number, Uint8Array[]>();
  const resumableSessions: z.output<typeof RESUMABLE>[] = [];
  const difficulties: [string, number][] = [];
  const addresses = {
    goodRigs: [] as z.output<typeof GOOD_RIGS>[],
    histories: [] as z.output<typeof HISTORY>[],
  };
  const takers: Readonly<Record<string, (value: unknown) => unknown>> = {
    work: (value) => works.push(WORK.parse(value)),
    job: (value) => jobs.push(JOB.parse(value)),
    nonces: (value) => {
      const [job, bytes] = NONCES.parse(value);
      const some = nonces.get(job) ?? [];
      some.push(bytes);
      nonces.set(job, some);
    },
    resumable: (value) => resumableSessions.push(RESUMABLE.parse(value)),
    difficulty: (value) => difficulties.push(z.tuple([PLACE, NUMBER]).parse(value)),
    goodRigs: (value) => addresses.goodRigs.push(GOOD_RIGS.parse(value)),
    past: (value) => addresses.histories.push(HISTORY.parse(value)),
  };
  return {
    line(text: string): void {
      const [[kind, value] = ['']] = Object.entries(JSON.parse(text) as object);
      const take = takers[kind];
      if (!take) throw new Error(`a line of no kind that there is: ${kind.slice(0, 32)}`);
      take(value);
    },
    start(): KeptStart {
      const whole = jobs.map((job) => {
        return { ...job, nonces: Uint8Array.from(Buffer.concat(nonces.get(job.number) ?? [])) };
      });
      return { jobs: { works, jobs: whole }, rigs: { resumableSessions, difficulties, addresses } };
    },
  };
}

/** The file, a piece at a time: between two of them the disk is waited for. */
export function* piecesOf(start: KeptStart): Iterable<string> {
  let piece = '';
  for (const line of linesOf(start)) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* linesOf({ jobs: { works, jobs }, rigs }: KeptStart): Iterable<object> {
  const { resumableSessions, difficulties, addresses } = rigs;
  yield { version: VERSION, at: new Date().toISOString() };
  for (const { node, bytes } of works) yield { work: { node, bytes: base64Of(bytes) } };
  for (const { nonces, ...job } of jobs) {
    yield { job };
    for (let from = 0; from < nonces.length; from += NONCE_BYTES_A_LINE)
      yield { nonces: [job.number, base64Of(nonces.subarray(from, from + NONCE_BYTES_A_LINE))] };
  }
  for (const resumable of resumableSessions) yield { resumable: writtenResumable(resumable) };
  for (const difficulty of difficulties) yield { difficulty };
  for (const goodRigs of addresses.goodRigs) yield { goodRigs };
  for (const past of addresses.histories) yield { past };
}

function writtenResumable({ issued, shareTarget, meter, ...rest }: KeptResumable): object {
  const { ordered, fixed } = shareTarget;
  return {
    ...rest,
    issued: issued.map(({ upTo, changes }) => ({
      upTo,
      changes: changes.map(({ fromJobNumber, lease, own }) => {
        return [fromJobNumber, lease.nonce1, lease.group, toHex(own)];
      }),
    })),
    shareTarget: { ...shareTarget, ordered: ordered?.toString(), fixed: fixed?.toString() },
    meter: meter && { ...meter, sums: Array.from(meter.sums) },
  };
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function faultOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message;
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unknown'}`;
}
