/** What only happens, as the timeline has it: read from where any bridge has stopped reading, so that each is told once. */
import type pg from 'pg';
import { MOST_OF_A_CONDITION, type Opening } from '../../bridge/alerts/alert-decisions.js';
import { type EventCondition, MANY } from '../../bridge/alerts/alerts.js';
import { loginText } from '../../core/names.js';

/** A block is found when a node has taken it. */
const KIND_OF: Readonly<Record<EventCondition, string>> = {
  blockFound: 'blockAccepted',
  blockConfirmed: 'blockConfirmed',
  blockOrphaned: 'blockOrphaned',
};
const CONDITION_OF = new Map(
  Object.entries(KIND_OF).map(([condition, kind]) => [kind, condition as EventCondition]),
);

/** Older ones are no news: alerts were switched off, or the bridge was. */
const NEWS = "interval '1 day'";
const MOST_READ = 5_000;
/** A development chain has a block a second: those that come while there were too many lately wait, and are told as one. */
const LATELY = "interval '10 minutes'";

interface EventRow {
  readonly id: string;
  readonly kind: string;
  readonly says: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export async function readEvents(
  client: pg.ClientBase,
  wanted: readonly EventCondition[],
): Promise<Opening[]> {
  if (await areTooMany(client, wanted)) return [];
  // Lines come in the order of their numbers: what comes meanwhile is behind this one.
  const { rows: newest } = await client.query<{ id: string }>(
    'SELECT coalesce(max(id), 0) AS id FROM happening',
  );
  const until = newest[0]?.id ?? '0';
  const { rows } = await client.query<EventRow>(READ, [
    wanted.map((each) => KIND_OF[each]),
    MOST_READ,
    until,
  ]);
  const last = rows.length === MOST_READ ? rows.at(-1)?.id : until;
  await client.query('UPDATE alert_watch SET last_line = greatest(last_line, $1::bigint)', [last]);
  return wanted.flatMap((condition) =>
    summed(
      condition,
      rows.filter(({ kind }) => CONDITION_OF.get(kind) === condition),
    ),
  );
}

const READ = `
  SELECT h.id, h.kind, h.says, h.facts FROM happening h, alert_watch w
  WHERE h.id > w.last_line AND h.id <= $3::bigint AND h.kind = ANY ($1) AND h.happened_at > now() - ${NEWS} ORDER BY h.id LIMIT $2`;

async function areTooMany(client: pg.ClientBase, wanted: readonly string[]): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM alert WHERE condition = ANY ($1) AND opened_at > now() - ${LATELY}
     GROUP BY condition HAVING count(*) >= $2`,
    [wanted, MOST_OF_A_CONDITION],
  );
  return rows.length > 0;
}

function summed(condition: EventCondition, rows: readonly EventRow[]): Opening[] {
  if (rows.length <= MOST_OF_A_CONDITION) return rows.map((row) => openingOf(condition, row));
  const says = `${rows.length} blocks ${WORDS[condition]}`;
  return [{ condition, about: MANY, says, account: undefined }];
}

const WORDS: Readonly<Record<EventCondition, string>> = {
  blockFound: 'were found',
  blockConfirmed: 'were confirmed',
  blockOrphaned: 'were orphaned',
};

function openingOf(condition: EventCondition, { says, facts }: EventRow): Opening {
  const text = (name: string): string => String(facts[name] ?? '');
  const about = `chain ${text('chainId')} height ${text('height')}`;
  const finder = loginText({ account: text('account'), rig: text('rig') });
  const reward = facts['reward'] ? `, and pays ${text('reward')}` : '';
  const words = condition === 'blockFound' ? `${finder} found a block: ${says}` : `${says}${reward}`;
  // All miners of a pool share a block: it is no matter of one of them.
  return { condition, about, says: words, account: undefined };
}
