/**
 * An operator's bans and difficulties, kept over a restart.
 *
 *     <dataDir>/orders.json    {"version":1,"bans":[…],"difficulties":[…]}
 *
 * A file that cannot be read is told and set aside: none of it is in force then, and none of it is lost.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BAN_KINDS, type KeptOrders, type OrderKeeper } from '../../bridge/orders/steering.js';
import type { Log } from '../../core/log.js';
import { MAX_ORDERED_BANS } from '../../stratum/door/bans.js';
import { MAX_ORDERED_DIFFICULTIES } from '../../stratum/tenure/ordered-difficulties.js';
import { readWhole, writeWhole } from '../books/whole-file.js';

export interface Orders {
  readonly kept: KeptOrders;
  readonly keeper: OrderKeeper;
}

/** Many times what it holds at the most. */
const MAX_BYTES = 64 * 1024 * 1024;
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
  by: TEXT.min(1),
});

const DIFFICULTY = z.strictObject({
  account: NAME,
  rig: NAME,
  difficulty: z.string().regex(/^[1-9]\d{0,60}$/),
  since: TIME,
  by: TEXT.min(1),
});

const FILE = z.strictObject({
  version: z.literal(1),
  bans: z.array(BAN).max(MAX_ORDERED_BANS),
  difficulties: z.array(DIFFICULTY).max(MAX_ORDERED_DIFFICULTIES),
});
type Written = z.infer<typeof FILE>;

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
    const text = this.#newest ? `${JSON.stringify(writtenOf(this.#newest))}\n` : '';
    const written = writeWhole(this.#path, [text]);
    // One that fails is told to those who wait for it, and the next one is tried all the same.
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

function writtenOf({ bans, difficulties }: KeptOrders): Written {
  return {
    version: 1,
    bans: bans.map(({ id, kind, login, address, reason, sinceMs, untilMs, by }) => {
      const until = untilMs === undefined ? null : timeOf(untilMs);
      return { id, kind, login, address, reason, since: timeOf(sinceMs), until, by };
    }),
    difficulties: difficulties.map(({ account, rig, difficulty, sinceMs, by }) => {
      return { account, rig, difficulty: String(difficulty), since: timeOf(sinceMs), by };
    }),
  };
}

function ordersOf({ bans, difficulties }: Written): KeptOrders {
  return {
    bans: bans.map(({ since, until, ...ban }) => {
      const untilMs = until === null ? undefined : Date.parse(until);
      return { ...ban, sinceMs: Date.parse(since), untilMs };
    }),
    difficulties: difficulties.map(({ difficulty, since, ...order }) => {
      return { ...order, difficulty: BigInt(difficulty), sinceMs: Date.parse(since) };
    }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function readOrders(path: string, log: Log): Promise<KeptOrders> {
  const text = await readWhole(path, MAX_BYTES);
  if (text === undefined) return { bans: [], difficulties: [] };
  const read = parse(text);
  if ('orders' in read) return read.orders;
  const aside = `${path}.damaged-${timeOf(Date.now()).replaceAll(':', '-')}`;
  await rename(path, aside);
  const words = `${path} cannot be read, and no ban or difficulty of an operator is in force: it is set aside as ${aside}. Mend it and put it back while the bridge is stopped, or give the orders again`;
  log.error({ event: 'orders-damaged', fault: read.fault }, words);
  return { bans: [], difficulties: [] };
}

function parse(text: string): { readonly orders: KeptOrders } | { readonly fault: string } {
  try {
    const read = FILE.safeParse(JSON.parse(text));
    if (read.success) return { orders: ordersOf(read.data) };
    const [issue] = read.error.issues;
    return { fault: `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unknown'}` };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
