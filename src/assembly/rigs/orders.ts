/**
 * Bans, and an operator's difficulties, labels and lists of addresses, kept over a restart: what bridges on one ledger share of them stands there
 * (`ledger/orders`), and here as it was when they last heard of each other.
 *
 *     orders.json    {"version":1,"bans":[…],"difficulties":[…],"labels":[…],"addresses":[…],"untold":[…]}
 *
 * Each as the API shows it. A file that cannot be read, or is of another version, is told and set
 * aside: none of it is in force then, and none of it is lost.
 */

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../core/names/log.js';
import { writeDurably } from '../../files/write-durably.js';
import { BAN } from '../../operations/bans.js';
import { GIVEN_HASHES } from '../../operations/entry/fields.js';
import { timeOf } from '../../operations/entry/values.js';
import { LISTED_ADDRESSES, ORDERED_DIFFICULTY, RIG_LABEL } from '../../operations/orders/by-order.js';
import { UNTOLD_ORDER } from '../../operations/orders/standing.js';
import { MAX_KEPT_BANS, MAX_ORDERED_BANS } from '../../stratum/admission/bans.js';
import { MAX_ORDERED_ADDRESSES } from '../../stratum/operator/address-orders.js';
import type { KeptOrders, OrderKeeper } from '../../stratum/operator/order-saver.js';
import { MAX_RIG_ORDERS } from '../../stratum/operator/rig-orders.js';
import { readWhole } from '../books/whole-file.js';

interface Orders {
  readonly kept: KeptOrders;
  readonly keeper: OrderKeeper;
}

/** Many times what it holds at the most. */
const MAX_BYTES = 64 * 1024 * 1024;
const VERSION = 1;
/** Written at once: many thousands of bans would keep rigs waiting. */
const LINES_A_PIECE = 200;

const FILE = z.strictObject({
  version: z.literal(VERSION),
  bans: z.array(BAN).max(MAX_ORDERED_BANS + 2 * MAX_KEPT_BANS),
  difficulties: z.array(ORDERED_DIFFICULTY.extend({ difficulty: GIVEN_HASHES })).max(MAX_RIG_ORDERS),
  labels: z.array(RIG_LABEL).max(MAX_RIG_ORDERS),
  addresses: z.array(LISTED_ADDRESSES).max(MAX_ORDERED_ADDRESSES),
  untold: z.array(UNTOLD_ORDER),
});

const NOTHING: KeptOrders = { bans: [], difficulties: [], labels: [], addresses: [], untold: [] };

/** Rejects when the file is damaged and cannot be set aside, or when it is nobody's to read. */
export async function openOrders(folder: string, log: Log): Promise<Orders> {
  const path = join(folder, 'orders.json');
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
    const written = writeDurably(this.#path, piecesOf(this.#newest ?? NOTHING));
    // One that fails is told to those who wait for it, and the next one is tried all the same.
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

/** The file, a piece at a time: between two of them the disk is waited for, and rigs are served. */
function* piecesOf(orders: KeptOrders): Iterable<string> {
  yield `{"version":${VERSION}`;
  for (const [name, items] of Object.entries(orders)) {
    yield `,${JSON.stringify(name)}:[`;
    for (let from = 0; from < items.length; from += LINES_A_PIECE) {
      const some = items.slice(from, from + LINES_A_PIECE).map((item: object) => JSON.stringify(item));
      yield (from === 0 ? '' : ',') + some.join(',');
    }
    yield ']';
  }
  yield '}\n';
}

async function readOrders(path: string, log: Log): Promise<KeptOrders> {
  const text = await readWhole(path, MAX_BYTES);
  if (text === undefined) return NOTHING;
  const now = timeOf(Date.now());
  const read = parse(text, now);
  if ('orders' in read) return read.orders;
  const aside = `${path}.damaged-${now.replaceAll(':', '-')}`;
  await rename(path, aside);
  const words = `${path} ${read.why}, and no ban, difficulty, label or list of addresses that stands there is in force: it is set aside as ${aside}. Mend it and put it back while the bridge is stopped, or give the orders again`;
  log.error({ event: 'orders-damaged', fault: read.fault }, words);
  return NOTHING;
}

type Read = { readonly orders: KeptOrders } | { readonly why: string; readonly fault: string };

/** @param now bans that are over by then are none any more. */
function parse(text: string, now: string): Read {
  const why = 'cannot be read';
  try {
    const json: unknown = JSON.parse(text);
    const other = OTHER_VERSION.safeParse(json).data?.version;
    if (other !== undefined)
      return { why: `is of version ${other}, and this bridge reads version ${VERSION}`, fault: 'version' };
    const read = FILE.safeParse(json);
    if (read.success) {
      const { version: _, bans, ...orders } = read.data;
      return { orders: { ...orders, bans: bans.filter(({ until }) => until === null || until > now) } };
    }
    const [issue] = read.error.issues;
    return { why, fault: `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'unknown'}` };
  } catch (error) {
    return { why, fault: (error as Error).message };
  }
}

const OTHER_VERSION = z.object({ version: z.int().refine((version) => version !== VERSION) });
