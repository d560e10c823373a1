/**
 * This bridge's number among those that share its ledger. It is leased there, and remembered in the folder of the bridge, so that a
 * start while the database is away goes on with the number that it had.
 *
 *     instance.json    {"id":"<uuid>","folder":"<inode>","number":3}
 */
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { SessionSigner, SessionSigners } from '../../bridge/watch/session-signers.js';
import type { Log } from '../../core/names/log.js';
import { writeDurably } from '../../files/write-durably.js';
import { LedgerError } from '../../ledger/database/errors.js';
import {
  holderOf,
  type InstanceOwner,
  leaseInstance,
  releaseInstance,
  renewInstance,
  sessionSigners,
} from '../../ledger/database/instances.js';
import type { Ledger } from '../../ledger/ledger.js';
import { bridgePlace } from '../site.js';

export interface InstanceOptions {
  readonly wanted: number | 'auto';
  /** Of this bridge. */
  readonly folder: string;
  readonly ledger: Pick<Ledger, 'pool' | 'ready'>;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface Instance extends SessionSigners {
  /** Absent until one was leased, if none is remembered. */
  readonly number: number | undefined;
  /** Told the number now, if there is one, and each time that it changes. One listener. */
  onNumber(listener: (number: number) => void): void;
  /** Frees the number. */
  close(): Promise<void>;
}

const INTERVAL_MS = 10_000;
const NUMBERS = 128;

const FILE = z.object({ id: z.uuid(), folder: z.string(), number: z.number().optional() });
type Remembered = z.infer<typeof FILE>;

/** Throws {@link LedgerError} when the database answers and the number that is asked for is in use. */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const lease = new Lease(options, await remember(options.folder));
  await lease.start();
  return lease;
}

/** A copy of it lies in another folder: it has a name of its own, and its number to get. */
async function remember(own: string): Promise<Remembered> {
  const folder = String((await stat(own, { bigint: true })).ino);
  const anew = { id: randomUUID(), folder };
  try {
    const read = FILE.safeParse(JSON.parse(await readFile(fileIn(own), 'utf8')));
    return read.success && read.data.folder === folder ? read.data : anew;
  } catch (error) {
    // Not there, or cut short: then nothing is remembered.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return anew;
    throw error;
  }
}

const fileIn = (folder: string): string => join(folder, 'instance.json');

class Lease implements Instance {
  readonly #options: InstanceOptions;
  #remembered: Remembered;
  readonly #run = randomUUID();
  #number: number | undefined;
  #listener: ((number: number) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  /** The database has this lease as far as is known. */
  #isLeased = false;
  #complaint = '';
  #signer: (() => SessionSigner) | undefined;

  constructor(options: InstanceOptions, remembered: Remembered) {
    this.#options = options;
    this.#remembered = remembered;
  }

  get #owner(): InstanceOwner {
    const place = bridgePlace(this.#options);
    return { id: this.#remembered.id, run: this.#run, place };
  }

  get number(): number | undefined {
    return this.#number;
  }

  onNumber(listener: (number: number) => void): void {
    this.#listener = listener;
    if (this.#number !== undefined) listener(this.#number);
  }

  /** Others see it with the next renewal, which is now. */
  show(own: () => SessionSigner): void {
    this.#signer = own;
    if (this.#isLeased) this.#look();
  }

  all(): Promise<readonly SessionSigner[]> {
    return sessionSigners(this.#options.ledger.pool);
  }

  async start(): Promise<void> {
    const { ledger, intervalMs = INTERVAL_MS } = this.#options;
    let isThere = false;
    const there = ledger.ready.then(() => {
      isThere = true;
    });
    await nextTurn();
    if (isThere) await this.#lease(this.#options.wanted !== 'auto');
    else {
      this.#goOnWithout();
      void there.then(() => this.#look());
    }
    this.#timer = setInterval(() => this.#look(), intervalMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#turn;
    if (!this.#isLeased) return;
    await releaseInstance(this.#options.ledger.pool, this.#owner).catch((error: Error) =>
      this.#options.log.debug(
        { error: error.message },
        'the instance number is free again once it has lapsed',
      ),
    );
  }

  /** The number set, or the last one: a bridge that takes any takes it only when there is no other. */
  #goOnWithout(): void {
    const { wanted, log } = this.#options;
    const number = wanted === 'auto' ? this.#remembered.number : wanted;
    if (number !== undefined) {
      log.warn(
        { instance: number },
        'the instance number is not leased while the database is away; it is used as before',
      );
      this.#use(number);
    } else {
      const words =
        'this bridge never leased an instance number, and the database is away: rigs wait for their first job until it answers (or set --instance to a number that no other bridge has)';
      log.warn({}, words);
    }
  }

  #look(): void {
    if (this.#timer === undefined) return;
    this.#turn ??= this.#renewOrLease()
      .catch((error: Error) => this.#complain(error))
      .finally(() => {
        this.#turn = undefined;
      });
  }

  async #renewOrLease(): Promise<void> {
    const { ledger, log } = this.#options;
    if (this.#isLeased && this.#number !== undefined) {
      if (await renewInstance(ledger.pool, this.#owner, this.#number, this.#signer?.())) return;
      this.#isLeased = false;
      // A copy of this data directory may have taken it under the same name, and would take the next one too.
      this.#remembered = { ...this.#remembered, id: randomUUID() };
      log.warn({ instance: this.#number }, 'the instance number had lapsed, and another bridge may have it');
    }
    await this.#lease(false);
  }

  /** @param only the number that is set, or none: later a bridge that serves rigs goes on with any that is its own. */
  async #lease(only: boolean): Promise<void> {
    const { wanted, ledger, log } = this.#options;
    const first = wanted === 'auto' ? (this.#number ?? this.#remembered.number) : wanted;
    const number = await leaseInstance(ledger.pool, this.#owner, first, only);
    if (number === undefined) throw await this.#refusal(only ? wanted : 'auto');
    this.#isLeased = true;
    this.#complaint = '';
    if (number !== this.#number) {
      const words = `this bridge is number ${number} of those on its ledger`;
      log.info({ event: 'instance', instance: number }, words);
      this.#use(number);
    }
    if (wanted !== 'auto' && number !== wanted) await this.#tellOther(number, wanted);
    await this.#remember(number);
  }

  async #tellOther(number: number, wanted: number): Promise<void> {
    const holder = await holderOf(this.#options.ledger.pool, wanted);
    const words = `instance ${wanted}, which is set, is in use by ${holder}: this bridge is number ${number} until its next start; set --instance to another number, or leave it at auto`;
    this.#options.log.error({ instance: number }, words);
  }

  /** A disk that is full must not keep rigs waiting: a start while the database is away has the number of before then. */
  async #remember(number: number): Promise<void> {
    const { folder, log } = this.#options;
    this.#remembered = { ...this.#remembered, number };
    const path = fileIn(folder);
    await writeDurably(path, `${JSON.stringify(this.#remembered)}\n`).catch((error: Error) => {
      const words = 'the instance number cannot be written down; the next start may get another';
      log.warn({ path, error: error.message }, words);
    });
  }

  async #refusal(wanted: number | 'auto'): Promise<LedgerError> {
    if (wanted === 'auto')
      return new LedgerError(
        'in-use',
        `all ${NUMBERS} instance numbers of this ledger are in use: stop a bridge first`,
      );
    const holder = await holderOf(this.#options.ledger.pool, wanted);
    const advice = 'stop that one, set --instance to another number, or leave it at auto';
    return new LedgerError('in-use', `instance ${wanted} is in use by ${holder}: ${advice}`);
  }

  #use(number: number): void {
    this.#number = number;
    this.#listener?.(number);
  }

  /** Once for each kind of trouble. */
  #complain(error: Error): void {
    if (error.message === this.#complaint) return;
    this.#complaint = error.message;
    const say = error instanceof LedgerError ? 'error' : 'debug';
    this.#options.log[say](
      { error: error.message },
      'the instance number is not leased now; it is tried again',
    );
  }
}
