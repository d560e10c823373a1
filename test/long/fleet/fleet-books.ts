/** What has to be in the books, at the node and on the disk after the week of a fleet. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { toHex } from '../../../src/core/bytes/bytes.js';
import { powHashOf } from '../../../src/core/work/header.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { runProgram } from '../../helpers/processes/program.js';
import type { Pool } from './fleet-pool.js';
import type { FoundBlock } from './fleet-rig.js';
import type { Told } from './fleet-rigs.js';

const UUID_LENGTH = 36;
/** What is on the chain is followed there, for its reward; what is not has a last word, or was never worth one. */
const IS_WELL =
  /^(on the chain, \w+, (pending|onChain|confirmed)|came second, (refused|perhaps|lost|not kept)\b)/;
/** Starts of hubs and fronts of which not all is booked. */
const UNSETTLED = 'producer WHERE NOT ended OR shares <> declared_shares OR work <> declared_work';

export interface Booked {
  readonly taken: number;
  readonly uncertain: number;
  readonly booked: number;
  readonly blocks: Record<string, number>;
}

/** To the share and for each rig: what was answered `true`, and at most what lost its answer. */
export async function expectBooked(pool: Pool, told: readonly Told[]): Promise<Booked> {
  const booked = await sharesIn(pool.databaseUrl);
  const wrong: string[] = [];
  const sums = { taken: 0, uncertain: 0, booked: 0 };
  for (const { rigs } of told)
    for (const [login, [taken, uncertain]] of Object.entries(rigs)) {
      const has = booked.get(login) ?? 0;
      if (has < taken || has > taken + uncertain)
        wrong.push(`${login}: ${taken} + ${uncertain}, ${has} booked`);
      sums.taken += taken;
      sums.uncertain += uncertain;
      sums.booked += has;
      booked.delete(login);
    }
  expect(wrong).toEqual([]);
  expect([...booked], 'nobody else is credited').toEqual([]);
  for (const table of ['set_aside', 'given_up', 'absence', UNSETTLED])
    expect([table, await rowsOf(pool.databaseUrl, `SELECT * FROM ${table}`)]).toEqual([table, []]);
  const { code, text } = await runProgram(['ledger', 'verify', '--json', '--database-url', pool.databaseUrl]);
  const broken = (JSON.parse(text) as { holds: boolean }[]).filter(({ holds }) => !holds);
  expect([code, broken]).toEqual([0, []]);
  await expectNothingLeft(pool);
  return { ...sums, blocks: await expectNoneLost(pool, told) };
}

/** Each start has said what it accepted in all, and that is in the books. */
export async function isAllBooked({ databaseUrl }: Pool): Promise<boolean> {
  return (await rowsOf(databaseUrl, `SELECT * FROM ${UNSETTLED}`)).length === 0;
}

/**
 * No solution, and no share log but those of producers that have ended with all that they said in the books: a start that ends does not
 * wait until its last entry is booked, and leaves its log to the next one.
 */
async function expectNothingLeft({ dataDir, databaseUrl }: Pool): Promise<void> {
  const left: string[] = await readdir(join(dataDir, 'solutions'));
  const ended = await rowsOf(
    databaseUrl,
    'SELECT id::text FROM producer WHERE ended AND shares = declared_shares',
  );
  const producers = new Set(ended.map(({ id }) => id));
  for (const front of await readdir(join(dataDir, 'fronts'))) {
    const names = await readdir(join(dataDir, 'fronts', front), { recursive: true });
    expect(names).not.toContain('solutions.json');
    const logs = names
      .filter((name) => name.startsWith('shares/'))
      .map((name) => name.slice('shares/'.length));
    left.push(...logs.filter((name) => !producers.has(name.slice(0, UUID_LENGTH))));
  }
  expect(left).toEqual([]);
}

/**
 * Each block of a rig that was answered `true` is on the chain, or another of its place is there that was sent before this one was
 * answered. Resolves with how many there were of each kind.
 */
async function expectNoneLost(pool: Pool, told: readonly Told[]): Promise<Record<string, number>> {
  const all = told.flatMap(({ blocks }) => blocks);
  const taken = all.filter(({ takenAtMs }) => takenAtMs !== undefined);
  const known = await solutionsIn(pool.databaseUrl);
  const chain = await hashesAtNode(pool, all);
  const onChain = all.filter(({ powHash }) => chain.has(powHash));
  const winners = new Map(onChain.map((block) => [block.place, block]));
  const counts: Record<string, number> = { found: all.length, 'answered true': taken.length };
  const lost: string[] = [];
  for (const block of taken) {
    const what = chain.has(block.powHash) ? 'on the chain' : lateness(block, winners.get(block.place));
    const kind = `${what}, ${known.get(block.powHash) ?? 'not kept'}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (!IS_WELL.test(kind)) lost.push(`${kind}: ${JSON.stringify(block)}`);
  }
  expect(lost).toEqual([]);
  expect(onChain.length).toBeGreaterThan(0);
  return counts;
}

function lateness({ takenAtMs = 0 }: FoundBlock, winner: FoundBlock | undefined): string {
  if (!winner) return 'nobody has its place';
  return winner.sentAtMs <= takenAtMs ? 'came second' : 'came first and has lost';
}

/** Login -> shares. */
async function sharesIn(connectionString: string): Promise<Map<string, number>> {
  const rows = await rowsOf(
    connectionString,
    `SELECT a.name || '.' || r.name AS login, sum(w.submits)::int AS shares FROM rig_work w
     JOIN rig r ON r.id = w.rig_id JOIN account a ON a.id = r.account_id WHERE w.kind = 0 GROUP BY 1`,
  );
  return new Map(rows.map(({ login, shares }) => [String(login), Number(shares)]));
}

/** Proof-of-work hash -> its last word, and what is known of its block where the node may have taken it. */
async function solutionsIn(connectionString: string): Promise<Map<string, string>> {
  const rows = await rowsOf(
    connectionString,
    `SELECT encode(pow_hash, 'hex') AS hash, concat_ws(', ', s.state, b.state) AS states
     FROM solution s LEFT JOIN block b ON b.solution_id = s.id`,
  );
  return new Map(rows.map(({ hash, states }) => [String(hash), String(states)]));
}

async function rowsOf(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, options: '-c search_path=stratum_bridge' });
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows as Record<string, unknown>[];
}

/** Proof-of-work hashes of all headers on the chains where blocks were found, asked of the node itself. */
async function hashesAtNode({ nodeUrl }: Pool, blocks: readonly FoundBlock[]): Promise<Set<string>> {
  const hashes = new Set<string>();
  const node = await NodeClient.connect(nodeUrl);
  try {
    for (const chain of new Set(blocks.map(({ place }) => Number(place.split(' ')[0]))))
      for await (const page of node.chain(chain).encodedHeaderPages())
        for (const { header } of page.items) hashes.add(toHex(powHashOf(header)));
  } finally {
    await node.close();
  }
  return hashes;
}
