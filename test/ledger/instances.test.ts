/** Numbers of bridges that share a ledger. */
import { randomUUID } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Instance, type InstanceOptions, startInstance } from '../../src/assembly/books/instance.js';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { residueOfInstance } from '../../src/bridge/job-roller.js';
import { TIME_RESIDUES } from '../../src/core/jobs/given-times.js';
import { type Job, JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { creationTimeOf } from '../../src/core/work/header.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { useBooks } from '../helpers/books/books.js';
import { temporaryFolder } from '../helpers/folder.js';
import { type Gate, openGate } from '../helpers/processes/gate.js';
import { makeWork } from '../helpers/rigs/works.js';

const books = useBooks();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const open: Instance[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(() => books.pool.query('TRUNCATE bridge'));
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const newDir = async (): Promise<string> => {
  const dataDir = join(folder.path, randomUUID());
  await mkdir(dataDir);
  return dataDir;
};

async function start(dataDir: string, more: Partial<InstanceOptions> = {}): Promise<Instance> {
  const options = {
    wanted: 'auto' as const,
    folder: dataDir,
    ledger: books.ledger,
    log: SILENT,
    intervalMs: 20,
  };
  const instance = await startInstance({ ...options, ...more });
  open.push(instance);
  return instance;
}

const silence = (number: number): Promise<unknown> =>
  books.pool.query("UPDATE bridge SET heard_at = now() - interval '61 seconds' WHERE number = $1", [number]);
const RARELY = { intervalMs: 1e6 };

/** How many bridges were heard of later than at that time. */
async function heardSince(time: Date): Promise<number> {
  const { rows } = await books.pool.query('SELECT count(*)::int AS n FROM bridge WHERE heard_at > $1', [
    time,
  ]);
  return rows[0].n;
}

/** A way to the database that is shut. */
async function gated(): Promise<{ url: string; gate: Gate }> {
  const url = new URL(books.connectionString);
  const gate = await openGate(Number(url.port));
  await gate.shut();
  url.port = String(gate.port);
  return { url: url.href, gate };
}

describe('who signs sessions of people', () => {
  it('is shown to all bridges, as it is now, for as long as the ledger knows the bridge', async () => {
    const [one, two] = [await start(await newDir()), await start(await newDir())];
    expect(await two.all()).toEqual([]);
    const signs = { key: 'public', tokens: ['first'] };
    one.show(() => signs);
    await expect.poll(() => two.all()).toEqual([signs]);
    signs.tokens = ['second'];
    await expect.poll(() => two.all()).toEqual([{ key: 'public', tokens: ['second'] }]);
    await one.close();
    expect(await two.all()).toEqual([]);
  });
});

describe('the instance number', () => {
  it('R6: is another for each bridge on a ledger, and free again when one stops', async () => {
    const all = await Promise.all([newDir(), newDir(), newDir()]);
    const [one, two] = [await start(all[0] ?? ''), await start(all[1] ?? '')];
    expect([one.number, two.number]).toEqual([0, 1]);
    await one.close();
    expect((await start(all[2] ?? '')).number).toBe(0);
  });

  it('R6: that is set and in use is refused with a sentence', async () => {
    const first = await newDir();
    await start(first, { wanted: 5 });
    await expect(start(await newDir(), { wanted: 5 })).rejects.toThrow(
      new RegExp(
        `^instance 5 is in use by \\S+:${first}, heard of \\d+ s ago: stop that one, set --instance`,
      ),
    );
    expect((await start(await newDir(), { wanted: 6 })).number).toBe(6);
  });

  it('R6: is taken over after it lapsed, from the data directory that died at once', async () => {
    const dead = await newDir();
    await start(dead, { wanted: 3, ...RARELY });
    expect((await start(dead, { wanted: 3, ...RARELY })).number).toBe(3);
    await expect(start(await newDir(), { wanted: 3 })).rejects.toMatchObject({ code: 'in-use' });
    await silence(3);
    expect((await start(await newDir(), { wanted: 3 })).number).toBe(3);
  });

  it('R6: is kept by a bridge that renews it, and changed when another has it meanwhile', async () => {
    const seen: number[] = [];
    const sleeper = await start(await newDir());
    sleeper.onNumber((number) => seen.push(number));
    await silence(0);
    await expect
      .poll(async () => {
        const { rows } = await books.pool.query(
          "SELECT heard_at > now() - interval '30 seconds' AS fresh FROM bridge",
        );
        return rows[0]?.fresh;
      })
      .toBe(true);
    await books.pool.query('UPDATE bridge SET owner = $1', [randomUUID()]);
    await expect.poll(() => seen).toEqual([0, 1]);
  });

  it('R6: that is set and found taken after an outage is left for a free one, aloud', async () => {
    const { url, gate } = await gated();
    const ledger = await openLedger({ connectionString: url, log: SILENT, waits: true });
    const said: string[] = [];
    const log = { ...SILENT, error: (_: object, message: string) => void said.push(message) };
    const owner = await newDir();
    const late = await start(await newDir(), { ledger, log, wanted: 5 });
    expect(late.number).toBe(5);
    await start(owner, { wanted: 5 });
    await gate.open();
    await expect
      .poll(() => said)
      .toEqual([
        expect.stringMatching(
          `^instance 5, which is set, is in use by \\S+:${owner}, .* this bridge is number 0`,
        ),
      ]);
    expect(late.number).toBe(0);
    await late.close();
    await ledger.close();
    await gate.shut();
  });

  it('R6: of a bridge that was not heard of for long goes only to one that is set to it: it may be mining unheard', async () => {
    const [unheard, second] = [await newDir(), await newDir()];
    await (await start(second)).close();
    await start(unheard, RARELY);
    await silence(0);
    // Its own number of before is the one of the bridge that is not heard.
    expect((await start(second)).number).toBe(1);
    expect((await start(await newDir(), { wanted: 0 })).number).toBe(0);
  });

  it('R6: is left by a bridge whose data directory runs a second time, as a copy of a disk does', async () => {
    const [dataDir, told] = [await newDir(), [] as number[]];
    const original = await start(dataDir);
    original.onNumber((number) => told.push(number));
    const copy = await start(dataDir);
    await expect.poll(() => original.number).toBe(1);
    const { rows } = await books.pool.query<{ now: Date }>('SELECT now()');
    const since = rows[0]?.now ?? new Date();
    await expect.poll(() => heardSince(since)).toBe(2);
    expect([copy.number, original.number, told]).toEqual([0, 1, [0, 1]]);
  });

  it('R6: is used although it cannot be written down', async () => {
    const { url, gate } = await gated();
    const ledger = await openLedger({ connectionString: url, log: SILENT, waits: true });
    const dataDir = await newDir();
    const said: string[] = [];
    const log = { ...SILENT, warn: (_: object, message: string) => void said.push(message) };
    const one = await start(dataDir, { ledger, log });
    await rm(dataDir, { recursive: true });
    await gate.open();
    await expect.poll(() => one.number).toBe(0);
    await expect.poll(() => said.join()).toContain('cannot be written down');
    await one.close();
    await ledger.close();
    await gate.shut();
  });

  it('R6: of a copied data directory is its own', async () => {
    const original = await newDir();
    const one = await start(original);
    const copy = join(folder.path, randomUUID());
    await cp(original, copy, { recursive: true });
    expect((await start(copy)).number).not.toBe(one.number);
  });

  it('R6: is waited for where the database is away and none was ever leased, and remembered where one was', async () => {
    const { url, gate } = await gated();
    const known = await newDir();
    await (await start(known, { wanted: 7 })).close();
    const ledger = await openLedger({ connectionString: url, log: SILENT, waits: true });
    const said: string[] = [];
    const log = { ...SILENT, warn: (_: object, message: string) => void said.push(message) };
    const [anew, again, fixed] = [
      await start(await newDir(), { ledger, log }),
      await start(known, { ledger, log }),
      await start(await newDir(), { ledger, wanted: 9 }),
    ];
    expect([anew.number, again.number, fixed.number]).toEqual([undefined, 7, 9]);
    expect(said.join('\n')).toMatch(
      /never leased an instance number.*rigs wait for their first job until it answers/,
    );
    const given = new Promise<number>((done) => anew.onNumber(done));
    await gate.open();
    expect(await given).toBe(0);
    await expect
      .poll(async () =>
        (await books.pool.query('SELECT number FROM bridge ORDER BY 1')).rows.map((row) => row.number),
      )
      .toEqual([0, 7, 9]);
    for (const one of open.splice(0)) await one.close();
    await ledger.close();
    await gate.shut();
  });

  it('R6: tells the jobs of two bridges apart, also from when it changes', () => {
    const book = new JobBook(1, undefined, residueOfInstance(0));
    book.add(makeWork({ parent: 1 }), 'n');
    book.moveTo(residueOfInstance(2));
    const { header } = book.add(makeWork({ parent: 2 }), 'n');
    expect(Number(creationTimeOf(header) % BigInt(TIME_RESIDUES))).toBe(residueOfInstance(2));
  });

  it('R6: that changes gives rigs a clean job of each chain at once, and shares of those before still count', () => {
    const book = new JobBook(1, undefined, residueOfInstance(0));
    const dispatcher = new Dispatcher(book, createBridgeEvents());
    for (const chainId of [1, 2]) dispatcher.offerWork(makeWork({ chainId }), 'n');
    const before = book.newestJobs;
    const given: Job[] = [];
    dispatcher.addSink({ offerJob: (job) => void given.push(job), retireChains: () => {} });
    given.length = 0;
    book.moveTo(residueOfInstance(2));
    dispatcher.renewJobs();
    expect(given.map(({ work, clean }) => [work.chainId, clean])).toEqual([
      [1, true],
      [2, true],
    ]);
    for (const { header } of given)
      expect(Number(creationTimeOf(header) % BigInt(TIME_RESIDUES))).toBe(residueOfInstance(2));
    expect(before.map(({ id }) => book.find(id).state)).toEqual(['live', 'live']);
  });
});
