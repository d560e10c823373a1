/**
 * What rigs come back to after a restart: written when a bridge has stopped in order, taken by its next start.
 *
 *     <dataDir>/tenures.json    {"version":1,"at":"2026-…","jobs":{…},"rigs":{…}}
 *
 * Its tokens are secrets of rigs. It is removed as soon as it is in use: after a crash it would tell of shares too few.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { toHex } from '../../core/bytes/bytes.js';
import type { KeptJobs } from '../../core/jobs/kept-jobs.js';
import type { Nonce1 } from '../../core/jobs/nonce.js';
import { STALENESSES } from '../../core/jobs/staleness.js';
import type { Log } from '../../core/names/log.js';
import { REJECTIONS } from '../../core/shares/share.js';
import { type Target, targetFromBytes } from '../../core/work/target.js';
import type { Former, KeptRigs } from '../../stratum/tenure/former.js';
import { readWhole, writeWhole } from '../books/whole-file.js';

/** Both sides of a start: jobs, and who works on them. */
export interface KeptStart {
  readonly jobs: KeptJobs;
  readonly rigs: KeptRigs;
}

export interface FormerStart extends KeptStart, Former {
  /** It is in use: a start after a crash is to know nothing of it. */
  used(): Promise<void>;
}

/** Several times what 100,000 rigs with ten shares a second each leave behind. */
const MAX_BYTES = 256 * 1024 * 1024;

const BYTES = z.codec(z.base64(), z.instanceof(Uint8Array), {
  decode: (text) => Uint8Array.from(Buffer.from(text, 'base64')),
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
});
const TARGET = z.codec(z.string().regex(/^[0-9a-f]{64}$/), z.custom<Target>(), {
  decode: (hex) => targetFromBytes(Uint8Array.from(Buffer.from(hex, 'hex'))),
  encode: (target) => toHex(target),
});
const DIFFICULTY = z.codec(z.string().regex(/^[1-9]\d{0,77}$/), z.bigint(), {
  decode: (digits) => BigInt(digits),
  encode: (difficulty) => String(difficulty),
});
const NONCE1 = z.codec(z.int().min(0).max(0xffff), z.custom<Nonce1>(), {
  decode: (number) => number as Nonce1,
  encode: (nonce1) => nonce1,
});
const COUNT = z.int().min(0);
const NUMBER = z.number().min(0);
const NAME = z.string().max(256);

const WORKS = z.array(z.strictObject({ node: z.string(), bytes: BYTES }));
const JOB = z.strictObject({
  number: COUNT,
  work: COUNT,
  group: COUNT,
  clean: z.boolean(),
  time: z.string().regex(/^\d{1,20}$/),
  ended: z.strictObject({ forMs: NUMBER, because: z.enum(STALENESSES) }).optional(),
  nonces: BYTES,
});

const LEASE = z.strictObject({ nonce1: NONCE1, group: COUNT });
const ISSUES = z.strictObject({
  upTo: COUNT,
  changes: z.array(z.strictObject({ fromJobNumber: COUNT, lease: LEASE, own: TARGET })),
});
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
  sums: z.codec(z.array(NUMBER).max(256), z.instanceof(Float32Array), {
    decode: (sums) => Float32Array.from(sums),
    encode: (sums) => Array.from(sums),
  }),
});
const TENURE = z.strictObject({
  leavesInMs: NUMBER,
  addressKey: NAME,
  lease: LEASE,
  token: NAME,
  logins: z.array(z.strictObject({ account: NAME, rig: NAME })),
  issued: z.array(ISSUES).max(32),
  shareTarget: SHARE_TARGET,
  meter: METER.optional(),
  formerDifficulty: NUMBER.optional(),
  bestShare: NUMBER,
  accepted: COUNT,
  rejected: z.partialRecord(z.enum(REJECTIONS), COUNT),
});

const PLACE = z.string().max(1024);
const HALVES = z.tuple([NUMBER, NUMBER]);
const ADDRESSES = z.strictObject({
  goodRigs: z.array(z.tuple([NAME, HALVES])),
  pasts: z.array(z.tuple([PLACE, HALVES, HALVES, HALVES])),
});

const FILE = z.strictObject({
  version: z.literal(1),
  at: z.iso.datetime(),
  jobs: z.strictObject({ works: WORKS, jobs: z.array(JOB) }),
  rigs: z.strictObject({
    tenures: z.array(TENURE),
    difficulties: z.array(z.tuple([PLACE, NUMBER])),
    addresses: ADDRESSES,
  }),
});

export function formerRigsIn(dataDir: string): string {
  return join(dataDir, 'tenures.json');
}

/** `undefined` when there is nothing, or nothing that can be read: that is told and set aside. */
export async function readFormer(dataDir: string, log: Log): Promise<FormerStart | undefined> {
  const path = formerRigsIn(dataDir);
  const text = await readWhole(path, MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    const { at, jobs, rigs } = FILE.decode(JSON.parse(text));
    const agoMs = Math.max(0, Date.now() - Date.parse(at));
    return { jobs, rigs, agoMs, used: () => rm(path, { force: true }) };
  } catch (error) {
    const aside = `${path}.damaged`;
    await rename(path, aside);
    const words = `${path} cannot be read and is set aside as ${aside}: late shares of before this start are refused, and rigs begin at the difficulty of strangers`;
    log.warn({ event: 'tenures-damaged', fault: faultOf(error as Error) }, words);
    return undefined;
  }
}

/** After the last submit was judged. Never rejects: without it rigs begin anew. */
export async function keepForNext(dataDir: string, { jobs, rigs }: KeptStart, log: Log): Promise<void> {
  try {
    const text = JSON.stringify(
      FILE.encode({ version: 1, at: new Date().toISOString(), jobs, rigs } as z.output<typeof FILE>),
    );
    await writeWhole(formerRigsIn(dataDir), [text]);
  } catch (error) {
    const words =
      'what rigs come back to cannot be written down: their late shares are refused after the next start';
    log.warn({ error: (error as Error).message }, words);
  }
}

function faultOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message;
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unknown'}`;
}
