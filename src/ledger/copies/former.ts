/** Dumps of version 0.1: read into its tables as they were, and brought over from there by SQL. */
import type pg from 'pg';
import type { WorkSum } from '../../bridge/ports.js';
import { expectedBlocks, type Rejection, type Share } from '../../core/shares/share.js';
import { slotOf } from '../../core/work/slot.js';
import { LedgerError } from '../database/errors.js';
import { FIRST_VERSION, runFile, SCHEMA } from '../database/migrate.js';
import { is, rowsOf, run, statementsOf } from '../database/statements.js';
import { acceptedIn, encodePart, type Stored } from '../recording/set-aside.js';

export const SQL = statementsOf(
  new URL('copies.sql', import.meta.url),
  {
    hasMoney: { has: is.bool },
    known: { id: is.bigint },
    belowZero: { owner: is.text, amount: is.numeric },
    renew: { used: is.bool },
    formerParts: { id: is.bigint, part: is.text },
  },
  ['makeRoom', 'takeFormerPart', 'keepFormer'],
);

/** For as long as a dump is read. The SQL of `sql/former` names it too. */
export const FORMER_SCHEMA = 'stratum_bridge_former';

/** Of dumps that are read: what 0.1.0 wrote, and all until its tables changed for good. */
const READ = { first: 6, last: 19 };

/** Whether a dump of that version is one of 0.1. Throws LedgerError `bad-dump` for one that is too old to be read. */
export function isFormer(version: number): boolean {
  if (version >= FIRST_VERSION) return false;
  if (version >= READ.first && version <= READ.last) return true;
  throw new LedgerError(
    'bad-dump',
    `the dump is of version ${version}, and this program reads versions ${READ.first} to ${READ.last}, and from ${FIRST_VERSION} on: ` +
      `restore it with the last stratum-bridge 0.1, and dump it there again`,
  );
}

/** Empty ones; they are first on the search path from then on. */
export async function makeFormerTables(client: pg.ClientBase): Promise<void> {
  await client.query(`CREATE SCHEMA ${FORMER_SCHEMA}`);
  await client.query(`SET LOCAL search_path TO ${FORMER_SCHEMA}`);
  await runFile(client, 'former/tables.sql');
}

/** Into the tables of this version, which are as on the first day. */
export async function bringOver(client: pg.ClientBase): Promise<void> {
  await client.query(`SET LOCAL search_path TO ${SCHEMA}`);
  await runFile(client, 'former/bring-over.sql');
  await client.query(`DROP SCHEMA ${FORMER_SCHEMA} CASCADE`);
  for (const { id, part } of await rowsOf(client, SQL.formerParts)) {
    const sums = sumsOf(JSON.parse(part) as FormerPart);
    const { shares, work } = acceptedIn(sums);
    await run(client, SQL.takeFormerPart, [id, encodePart(sums), shares, work.toString()]);
  }
}

/** What was set aside: shares one by one, and refused submits. */
interface FormerPart {
  readonly shares: Stored<Share, 'difficulty' | 'blockDifficulty'>[];
  readonly rejections: {
    account: string;
    rig: string;
    reason: Rejection;
    sinceMs: number;
    submits: number;
    work: string;
  }[];
}

function sumsOf({ shares, rejections }: FormerPart): WorkSum[] {
  const accepted = shares.map((share): WorkSum => {
    const [difficulty, blockDifficulty] = [BigInt(share.difficulty), BigInt(share.blockDifficulty)];
    const { account, rig, acceptedAtMs } = share;
    const expected = expectedBlocks({ difficulty, blockDifficulty });
    const best = Number(difficulty);
    return {
      account,
      rig,
      slot: slotOf(acceptedAtMs),
      kind: 'accepted',
      submits: 1,
      work: difficulty,
      expected,
      best,
    };
  });
  const refused = rejections.map(({ account, rig, reason, sinceMs, submits, work }): WorkSum => {
    return {
      account,
      rig,
      slot: slotOf(sinceMs),
      kind: reason,
      submits,
      work: BigInt(work),
      expected: 0n,
      best: 0,
    };
  });
  return [...accepted, ...refused];
}
