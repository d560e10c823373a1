/** Mends of what once paid others than those who worked, each with how the ledger was without it, and a story in which that shows. */
import type pg from 'pg';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import type { SchemeName } from './histories.js';
import type { Step } from './history.js';

interface Mend {
  /** What reviews and models call it. */
  readonly id: string;
  readonly says: string;
  readonly scheme: SchemeName;
  readonly function: string;
  /** Of its text. */
  readonly without: readonly (readonly [text: string | RegExp, instead: string])[];
  readonly story: readonly Step[];
}

/** Numbers in steps are places in lists of history.ts. */
const [A, B, C] = [0, 1, 2];
const [LITTLE, MOST] = [0, 3];
const [S4, S10, S17, S31, S95] = [2, 3, 4, 5, 7];
const [RECEIVED, PAYS] = [0, 3];
const NO_ANSWER = 5;
const TEN_MINUTES_FAST = 5;
const [AWAY, BACK] = [0, 4];
const [THREE, OLDEST, ONCE] = [2, 0, 1];
const HALF_A_MINUTE: readonly Step[] = [['round', 0, THREE]];
const BOOK_SIX: readonly Step[] = [
  ['book', 0, OLDEST, THREE, ONCE],
  ['book', 0, OLDEST, THREE, ONCE],
];

const NO_GRACE = ["calm_since + interval '30 seconds' > now()", 'false'] as const;

export const MENDS: readonly Mend[] = [
  {
    id: 'LQ1',
    says: 'a block has no round before its own log is booked up to it',
    scheme: 'prop',
    function: 'slot_when_booked',
    without: [[/CASE WHEN ended .* FOR SHARE/, 'open_slot(p_found_at)']],
    // What b did before his block is lost by the queue, and his bridge is away until nobody waits for it.
    story: [
      ['share', 0, A, LITTLE],
      ['share', 1, B, MOST],
      ['ship', 1, 1],
      ['pass', 0, S4],
      ['solve', 1, B, 0, RECEIVED, PAYS],
      ['ship', 1, 1],
      ['book', 0, 3, 0, ONCE],
      ['lose', 0],
      ['crash', 1],
      ['pass', 0, S31],
      ['turn', 0],
      ...HALF_A_MINUTE,
      ...HALF_A_MINUTE,
    ],
  },
  {
    id: 'LQ2',
    says: 'who could not be heard, as the ledger was away, is waited for',
    scheme: 'prop',
    function: 'known_until',
    without: [NO_GRACE, ['(is_leased(heard_at) OR waited < p_patience)', 'heard_at >= now() - p_patience']],
    story: [
      ['share', 0, A, LITTLE],
      ['share', 1, B, MOST],
      ['solve', 0, A, 0, RECEIVED, PAYS],
      ['ship', 0, THREE],
      ...BOOK_SIX,
      ['ledger', 0, AWAY],
      ['pass', 0, S95],
      ['ledger', 0, BACK],
      ['turn', 0],
    ],
  },
  {
    id: 'LQ1, grace',
    says: 'nothing is split before all who live could name their logs',
    scheme: 'pplns by work',
    function: 'known_until',
    without: [NO_GRACE],
    story: [
      ['stop', 1],
      ...BOOK_SIX,
      ['ledger', 0, AWAY],
      ['pass', 0, S31],
      ['start', 1, 0],
      ['share', 1, B, MOST],
      ['solve', 0, A, 0, RECEIVED, PAYS],
      ['pass', 0, S17],
      ['ledger', 0, BACK],
      ['ship', 0, THREE],
      ['ship', 2, THREE],
      ...BOOK_SIX,
      ['turn', 0],
      ['decide', 0, 0],
    ],
  },
  {
    id: 'LQ3',
    says: 'the last word of a solution counts, whatever was said before',
    scheme: 'prop',
    function: 'take_solution',
    without: [[/WHERE \(excluded.said <> 'found' OR (.*)\) AND .*;/, 'WHERE $1;']],
    // Slots of then are closed by the time that the chain tells of the block.
    story: [
      ['share', 0, B, LITTLE],
      ['solve', 0, A, 0, RECEIVED, PAYS],
      ...HALF_A_MINUTE,
      ['share', 0, C, MOST],
      ['leap', 0, 1],
      ['start', 0, 0],
      ['ship', 0, THREE],
      ...BOOK_SIX,
      ...BOOK_SIX,
      ['keepUp', 0],
    ],
  },
  {
    id: 'LQ3, time',
    says: 'a block is found no later than its first word comes, however fast its clock',
    scheme: 'prop',
    function: 'take_solution',
    without: [[/CASE WHEN block.said IS NULL THEN (excluded.found_at) ELSE block.found_at END/, '$1']],
    // Its answer comes with the next start of its bridge, after another block.
    story: [
      ['drift', 2, TEN_MINUTES_FAST],
      ['solve', 2, A, 0, NO_ANSWER, PAYS],
      ['round', 0, 0],
      ['crash', 2],
      ['share', 0, B, LITTLE],
      ...HALF_A_MINUTE,
      ['solve', 0, A, 0, RECEIVED, PAYS],
    ],
  },
  {
    id: 'LQ4',
    says: 'what is not paid yet is not summed up, however old it is',
    scheme: 'pps',
    function: 'sum_up_oldest',
    without: [[', rooted_until(), CASE WHEN ever.is_pps THEN s.periods_until END)', ')']],
    story: [
      ['share', 0, A, MOST],
      ...Array.from({ length: 7 }, (): Step => ['pass', 0, S95]),
      ...HALF_A_MINUTE,
      ...HALF_A_MINUTE,
      ['share', 0, B, MOST],
      ['leap', 0, 60],
      ['start', 0, 0],
      ['ship', 0, THREE],
      ...BOOK_SIX,
      ...BOOK_SIX,
      ['keepUp', 0],
    ],
  },
];

const A_ROUND: readonly Step[] = [
  ['pass', 0, S10],
  ['ship', 0, THREE],
  ['ship', 1, THREE],
  ['ship', 2, THREE],
  ...BOOK_SIX,
  ['book', 0, OLDEST, THREE, ONCE],
  ['turn', 0],
];

/** LQ1 once more: of a log that was begun while the ledger was away, which only the next start names. It ships its own first. */
export const BORN_AWAY: readonly Step[] = [
  ['stop', 1],
  ...BOOK_SIX,
  ['ledger', 0, AWAY],
  ['pass', 0, S31],
  ['start', 1, 0],
  ['share', 1, B, MOST],
  ['crash', 1],
  ['ledger', 0, BACK],
  ['turn', 0],
  ['start', 1, 0],
  ['share', 0, A, LITTLE],
  ['solve', 0, A, 0, RECEIVED, PAYS],
  ...Array.from({ length: 5 }, () => A_ROUND).flat(),
];

/** Does something with the ledger as it was without that mend. */
export async function withoutMend(pool: pg.Pool, mend: Mend, act: () => Promise<void>): Promise<void> {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = '${SCHEMA}'::regnamespace AND proname = $1`,
    [mend.function],
  );
  const text = rows[0]?.text ?? '';
  let before = text;
  for (const [from, to] of mend.without) {
    if (before.search(from instanceof RegExp ? from : escaped(from)) < 0)
      throw new Error(`${mend.function} has no ${from} any more: how was it without?`);
    before = before.replace(from, to);
  }
  await pool.query(before);
  await act().finally(() => pool.query(text));
}

function escaped(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
