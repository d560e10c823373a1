/**
 * An entry as it stands in BullMQ: JSON, names said once, work as decimal strings.
 *
 *     {"v":3,"id":["2b1f…",17],"watermarkMs":1700000000000,"ends":false,"total":[12345,"99000000"],
 *      "rigs":[["k:ab…","rig1"]],
 *      "sums":[[0,170000000,0,3,"3000","2100000000000000",5123.5]],
 *      "solutions":[{"log":"2b1f…","state":"found","header":"00…", …}]}
 *
 * `rigs` are account and rig; `sums` are a number into them, slot, kind, submits, work, blocks expected in units of 10^-18, and
 * the highest difficulty that a hash of these reached. Kind 0 is accepted, 1 to 8 are the reasons in the order of `REJECTIONS`;
 * a reason that only a later version knows travels as text. `total`: shares and work of this log up to and with this entry. `solutions`: as in
 * the log.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { EntryId, ShareEntry, WorkSum } from '../../bridge/ports.js';
import { NAME_BYTES, storable } from '../../core/names/names.js';
import { REJECTIONS, type Rejection } from '../../core/shares/rejections.js';
import { encodeWord, SOLUTION_WORD } from '../log/solutions.js';

const MAX_NAME_LENGTH = 4 * NAME_BYTES.account;
/** More than a segment of the log and all counters of rejections hold. */
const MAX_SUMS = 500_000;
/** As the log has room for, and more than a network has. */
const MAX_SOLUTIONS = 50_000;
const VERSION = 3;
const KINDS: readonly WorkSum['kind'][] = ['accepted', ...REJECTIONS];

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

const DECIMAL = /^(0|[1-9]\d{0,99})$/;
/** A reason that only a later version knows counts under its name: nobody's shares wait for it. */
const LATER_REASON = /^[a-zA-Z]{1,40}$/;
const count = z.number().int().nonnegative();

/** Number of the rig, slot, kind, submits, work, expected, best. */
type EncodedSum = [number, number, number | string, number, string, string, number];

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH;
}

/** These two take a fifth of the time of the same said in a schema of tuples: there are many of them. */
function isRig(value: unknown): value is [account: string, rig: string] {
  return Array.isArray(value) && value.length === 2 && value.every(isName);
}

function isEncodedSum(value: unknown): value is EncodedSum {
  if (!Array.isArray(value) || value.length !== 7) return false;
  const [rig, slot, kind, submits, work, expected, best]: unknown[] = value;
  return (
    Number.isSafeInteger(rig) &&
    Number.isSafeInteger(slot) &&
    (typeof kind === 'number' ? KINDS[kind] !== undefined : LATER_REASON.test(String(kind))) &&
    Number.isSafeInteger(submits) &&
    (submits as number) >= 0 &&
    typeof work === 'string' &&
    DECIMAL.test(work) &&
    typeof expected === 'string' &&
    DECIMAL.test(expected) &&
    typeof best === 'number' &&
    best >= 0
  );
}

const ENTRY = z.object({
  v: z.literal(VERSION),
  id: z.tuple([z.uuid(), z.number().int().positive()]),
  watermarkMs: z.number(),
  ends: z.boolean(),
  total: z.tuple([count, z.string().regex(DECIMAL)]),
  rigs: z.array(z.custom<[string, string]>(isRig, 'not a rig')).max(MAX_SUMS),
  sums: z.array(z.custom<EncodedSum>(isEncodedSum, 'not a sum')).max(MAX_SUMS),
  solutions: z.array(SOLUTION_WORD).max(MAX_SOLUTIONS),
});

/** The queue that entries go through. */
export const SHARES = 'shares';

export type EncodedEntry = z.input<typeof ENTRY>;

/** No ':' and no mere number, which BullMQ does not take as an id. */
export function entryKey(id: EntryId): string {
  return `${id.log}-${id.number}`;
}

/** Of a key that {@link entryKey} made. */
export function entryIdOf(key: string): EntryId | undefined {
  const [, log, number] = /^([0-9a-f-]{36})-(\d{1,15})$/.exec(key) ?? [];
  return log === undefined ? undefined : { log, number: Number(number) };
}

/** Sums that are encoded before anything else has its turn: some milliseconds. */
export const PIECE_SUMS = 500;

/** Stops after each piece. */
function* encoding(entry: ShareEntry): Generator<void, EncodedEntry> {
  const rigs: [string, string][] = [];
  const places = new Map<string, number>();
  const placeRig = ({ account, rig }: WorkSum): number => {
    const key = `${account.length} ${account}${rig}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, rigs.length);
    return rigs.push([storable(account, MAX_NAME_LENGTH), storable(rig, MAX_NAME_LENGTH)]) - 1;
  };
  const sums: EncodedSum[] = [];
  for (const sum of entry.sums) {
    const known = KINDS.indexOf(sum.kind);
    const kind = known === -1 ? sum.kind : known;
    const { slot, submits, work, expected, best } = sum;
    sums.push([placeRig(sum), slot, kind, submits, work.toString(), expected.toString(), best]);
    if (sums.length % PIECE_SUMS === 0) yield;
  }
  return {
    v: VERSION,
    id: [entry.id.log, entry.id.number],
    watermarkMs: entry.watermarkMs,
    ends: entry.ends,
    total: [entry.total.shares, entry.total.work.toString()],
    rigs,
    sums,
    solutions: entry.solutions.map(encodeWord),
  };
}

/** All at once: for what is short. */
export function encodeEntry(entry: ShareEntry): EncodedEntry {
  const pieces = encoding(entry);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}

/** Rigs are answered between two pieces. */
export async function encodeInPieces(entry: ShareEntry): Promise<EncodedEntry> {
  const pieces = encoding(entry);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
    await nextTurn();
  }
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
  const [log, number] = encoded.id;
  const [shares, work] = encoded.total;
  return {
    id: { log, number },
    watermarkMs: encoded.watermarkMs,
    ends: encoded.ends,
    total: { shares, work: BigInt(work) },
    sums: encoded.sums.map((sum) => decodeSum(encoded.rigs, sum)),
    solutions: encoded.solutions,
  };
}

function decodeSum(
  rigs: EncodedEntry['rigs'],
  [at, slot, kind, submits, work, expected, best]: EncodedSum,
): WorkSum {
  const [account, rig] = rigs[at] ?? missing(at);
  const known = typeof kind === 'number' ? (KINDS[kind] ?? 'accepted') : (kind as Rejection);
  return { account, rig, slot, kind: known, submits, work: BigInt(work), expected: BigInt(expected), best };
}

function missing(rig: number): never {
  throw new EntryFormatError(`no entry: it has no rig ${rig}`);
}
