/**
 * Bans, and an operator's difficulties, labels and lists of addresses, kept over a restart.
 *
 *     <dataDir>/orders.json    {"version":1,"bans":[…],"difficulties":[…],"labels":[…],"addresses":[…]}
 *
 * Who banned stands in `by`, empty for the bridge itself. A file that cannot be read, or is of another version, is told and set
 * aside: none of it is in force then, and none of it is lost.
 */

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type {
  Ban,
  KeptOrders,
  OrderedAddress,
  OrderedDifficulty,
  OrderKeeper,
  RigLabel,
} from '../../bridge/orders/steering.js';
import type { Log } from '../../core/names/log.js';
import { prefixOf } from '../../core/names/peer.js';
import { ADDRESS_LISTS, BAN_KINDS } from '../../operations/enums.js';
import { MAX_KEPT_BANS, MAX_ORDERED_BANS } from '../../stratum/door/bans.js';
import { MAX_ORDERED_ADDRESSES } from '../../stratum/operator/address-orders.js';
import { MAX_RIG_ORDERS } from '../../stratum/operator/rig-orders.js';
import { readWhole, writeWhole } from '../books/whole-file.js';

export interface Orders {
  readonly kept: KeptOrders;
  readonly keeper: OrderKeeper;
}

/** Many times what it holds at the most. */
const MAX_BYTES = 64 * 1024 * 1024;
const VERSION = 1;
/** Written at once: many thousands of bans would keep rigs waiting. */
const LINES_A_PIECE = 200;
const NAME = z.string().max(256);
const TEXT = z.string().max(1000);
const TIME = z.iso.datetime();

const BAN = z.strictObject({
  id: z.string().min(1).max(64),
  kind: z.enum(BAN_KINDS),
  login: NAME,
  address: NAME,
  reason: TEXT,
  since: TIME,
  until: TIME.nullable(),
  by: TEXT,
});

const DIFFICULTY = z.strictObject({
  account: NAME,
  rig: NAME,
  difficulty: z.string().regex(/^[1-9]\d{0,60}$/),
  since: TIME,
  by: TEXT.min(1),
});

const LABEL = z.strictObject({
  account: NAME,
  rig: NAME,
  label: NAME.min(1),
  since: TIME,
  by: TEXT.min(1),
});

const ADDRESSES = z.strictObject({
  list: z.enum(ADDRESS_LISTS),
  addresses: NAME.refine((text) => prefixOf(text) === text, 'is no address or prefix'),
  since: TIME,
  by: TEXT.min(1),
});

const FILE = z.strictObject({
  version: z.literal(VERSION),
  bans: z.array(BAN).max(MAX_ORDERED_BANS + 2 * MAX_KEPT_BANS),
  difficulties: z.array(DIFFICULTY).max(MAX_RIG_ORDERS),
  labels: z.array(LABEL).max(MAX_RIG_ORDERS),
  addresses: z.array(ADDRESSES).max(MAX_ORDERED_ADDRESSES),
});
type Written = z.infer<typeof FILE>;

const NOTHING: KeptOrders = { bans: [], difficulties: [], labels: [], addresses: [] };

/** Rejects when the file is damaged and cannot be set aside, or when it is nobody's to read. */
export async function openOrders(dataDir: string, log: Log): Promise<Orders> {
  const path = join(dataDir, 'orders.json');
  return { kept: await readOrders(path, log), keeper: new OrderFile(path) };
}

/** Writes one after the other; who comes while one is written waits for the next, which has all that was ordered by then. */
class OrderFile implements OrderKeeper {
  readonly #path: string;
  #newest: KeptOrders | undefined;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  keep(orders: KeptOrders): Promise<void> {
    this.#newest = orders;
    this.#next ??= this.#writing.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<void> {
    this.#next = undefined;
    const written = writeWhole(this.#path, piecesOf(this.#newest ?? NOTHING));
    // One that fails is told to those who wait for it, and the next one is tried all the same.
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/** The file, a piece at a time: between two of them the disk is waited for, and rigs are served. */
function* piecesOf({ bans, difficulties, labels, addresses }: KeptOrders): Iterable<string> {
  yield `{"version":${VERSION},"bans":[`;
  yield* listOf(bans, writtenBan);
  yield '],"difficulties":[';
  yield* listOf(difficulties, writtenDifficulty);
  yield '],"labels":[';
  yield* listOf(labels, writtenLabel);
  yield '],"addresses":[';
  yield* listOf(addresses, writtenAddresses);
  yield ']}\n';
}

function* listOf<T>(items: readonly T[], written: (item: T) => object): Iterable<string> {
  for (let from = 0; from < items.length; from += LINES_A_PIECE) {
    const some = items.slice(from, from + LINES_A_PIECE).map((item) => JSON.stringify(written(item)));
    yield (from === 0 ? '' : ',') + some.join(',');
  }
}

function writtenBan(ban: Ban): Written['bans'][number] {
  const { id, kind, login, address, reason, sinceMs, untilMs, by } = ban;
  const until = untilMs === undefined ? null : timeOf(untilMs);
  return { id, kind, login, address, reason, since: timeOf(sinceMs), until, by };
}

function writtenDifficulty(order: OrderedDifficulty): Written['difficulties'][number] {
  const { account, rig, difficulty, sinceMs, by } = order;
  return { account, rig, difficulty: String(difficulty), since: timeOf(sinceMs), by };
}

function writtenLabel({ account, rig, label, sinceMs, by }: RigLabel): Written['labels'][number] {
  return { account, rig, label, since: timeOf(sinceMs), by };
}

function writtenAddresses({ list, addresses, sinceMs, by }: OrderedAddress): Written['addresses'][number] {
  return { list, addresses, since: timeOf(sinceMs), by };
}

/** @param nowMs bans that are over by then are none any more. */
function ordersOf({ bans, difficulties, labels, addresses }: Written, nowMs: number): KeptOrders {
  return {
    bans: bans.flatMap(({ since, until, ...ban }) => {
      const untilMs = until === null ? undefined : Date.parse(until);
      const isOver = untilMs !== undefined && untilMs <= nowMs;
      return isOver ? [] : [{ ...ban, sinceMs: Date.parse(since), untilMs }];
    }),
    difficulties: difficulties.map(({ difficulty, since, ...order }) => {
      return { ...order, difficulty: BigInt(difficulty), sinceMs: Date.parse(since) };
    }),
    labels: labels.map(({ since, ...order }) => ({ ...order, sinceMs: Date.parse(since) })),
    addresses: addresses.map(({ since, ...order }) => ({ ...order, sinceMs: Date.parse(since) })),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function readOrders(path: string, log: Log): Promise<KeptOrders> {
  const text = await readWhole(path, MAX_BYTES);
  if (text === undefined) return NOTHING;
  const nowMs = Date.now();
  const read = parse(text, nowMs);
  if ('orders' in read) return read.orders;
  const aside = `${path}.damaged-${timeOf(nowMs).replaceAll(':', '-')}`;
  await rename(path, aside);
  const words = `${path} ${read.why}, and no ban, difficulty, label or list of addresses that stands there is in force: it is set aside as ${aside}. Mend it and put it back while the bridge is stopped, or give the orders again`;
  log.error({ event: 'orders-damaged', fault: read.fault }, words);
  return NOTHING;
}

type Read = { readonly orders: KeptOrders } | { readonly why: string; readonly fault: string };

function parse(text: string, nowMs: number): Read {
  const why = 'cannot be read';
  try {
    const json: unknown = JSON.parse(text);
    const other = OTHER_VERSION.safeParse(json).data?.version;
    if (other !== undefined)
      return { why: `is of version ${other}, and this bridge reads version ${VERSION}`, fault: 'version' };
    const read = FILE.safeParse(json);
    if (read.success) return { orders: ordersOf(read.data, nowMs) };
    const [issue] = read.error.issues;
    return { why, fault: `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unknown'}` };
  } catch (error) {
    return { why, fault: (error as Error).message };
  }
}

const OTHER_VERSION = z.object({ version: z.int().refine((version) => version !== VERSION) });
