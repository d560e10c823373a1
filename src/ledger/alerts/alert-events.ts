/** What only happens, as the timeline has it: read from where any bridge has stopped reading, so that each is told once. */
import type pg from 'pg';
import { MOST_OF_A_CONDITION, type Opening } from '../../bridge/alerts/alert-decisions.js';
import { type EventCondition, MANY } from '../../bridge/alerts/alerts.js';
import { loginText } from '../../core/names/names.js';
import { type RowOf, rowOf, rowsOf, run } from '../database/statements.js';
import { SQL as TIMELINE } from '../timeline.js';
import { SQL } from './alerts.js';

/** A block is found when a node has taken it. */
const KIND_OF: Readonly<Record<EventCondition, string>> = {
  blockFound: 'blockAccepted',
  blockConfirmed: 'blockConfirmed',
  blockOrphaned: 'blockOrphaned',
  blockPaysAnother: 'blockPaysAnother',
  payoutPaid: 'payoutPaid',
  paymentsReturned: 'paymentsReturned',
};
const CONDITION_OF = new Map(
  Object.entries(KIND_OF).map(([condition, kind]) => [kind, condition as EventCondition]),
);

const MOST_READ = 5_000;

type EventRow = RowOf<typeof SQL.events>;

export async function readEvents(
  client: pg.ClientBase,
  wanted: readonly EventCondition[],
): Promise<Opening[]> {
  if ((await rowOf(client, SQL.tooMany, [wanted, MOST_OF_A_CONDITION]))?.are) return [];
  // Lines come in the order of their numbers: what comes meanwhile is behind this one.
  const until = (await rowOf(client, TIMELINE.newest))?.id ?? 0;
  const rows = await rowsOf(client, SQL.events, [wanted.map((each) => KIND_OF[each]), MOST_READ, until]);
  await run(client, SQL.wasRead, [rows.length === MOST_READ ? rows.at(-1)?.id : until]);
  return wanted.flatMap((condition) =>
    summed(
      condition,
      rows.filter(({ kind }) => CONDITION_OF.get(kind) === condition),
    ),
  );
}

function summed(condition: EventCondition, rows: readonly EventRow[]): Opening[] {
  if (rows.length <= MOST_OF_A_CONDITION) return rows.map((row) => openingOf(condition, row));
  const says = `${rows.length} ${WORDS[condition]}`;
  return [{ condition, about: MANY, says, account: undefined }];
}

const WORDS: Readonly<Record<EventCondition, string>> = {
  blockFound: 'blocks were found',
  blockConfirmed: 'blocks were confirmed',
  blockOrphaned: 'blocks were orphaned',
  blockPaysAnother: 'blocks pay accounts that are none of the pool',
  payoutPaid: 'payouts were paid on chain',
  paymentsReturned: 'times payments have left the chain with their block: they are on their way again',
};

function openingOf(condition: EventCondition, { says, facts }: EventRow): Opening {
  const text = (name: string): string => String(facts[name] ?? '');
  // Those of payouts say whom they name.
  if ('batch' in facts) return { condition, about: `payout ${text('name')}`, says, account: undefined };
  const about = `chain ${text('chainId')} height ${text('height')}`;
  const finder = loginText({ account: text('account'), rig: text('rig') });
  const reward = facts['reward'] ? `, and pays ${text('reward')}` : '';
  const words = condition === 'blockFound' ? `${finder} found a block: ${says}` : `${says}${reward}`;
  // All miners of a pool share a block: it is no matter of one of them.
  return { condition, about, says: words, account: undefined };
}
