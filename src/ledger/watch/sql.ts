/** What who looks asks of the tables. Names of columns are those of the rows; times are milliseconds since the epoch. */
import { PAYMENT_STATES, STATE_OF_LINES } from '../payments/payouts.js';

const BOOKS = ['balance', 'held', 'paying', 'paid'];
const msOf = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;

const ID_OF = (name: string): string =>
  `(SELECT id FROM account WHERE key = sha256(convert_to(${name}, 'UTF8')))`;

/** Of the rows of one account. */
export const MONEY = BOOKS.map(
  (book) => `coalesce(sum(amount) FILTER (WHERE book = '${book}'), 0)::numeric(38, 12)::text AS ${book}`,
).join(', ');

/** $1: account. Always one row. */
export const ACCOUNT = `
  SELECT (SELECT count(*)::int FROM rig WHERE account_id = ${ID_OF('$1')}) AS rigs, count(*)::int AS books, ${MONEY}
  FROM money WHERE account_id = ${ID_OF('$1')}`;

/** $1: accounts. */
export const MONEY_OF = `
  SELECT name AS account, ${MONEY} FROM money JOIN account ON id = account_id
  WHERE key = ANY (ARRAY (SELECT sha256(convert_to(u, 'UTF8')) FROM unnest($1::text[]) AS u)) GROUP BY id, name`;

/** Always one row. */
export const ALL_MONEY = `SELECT ${MONEY} FROM money WHERE account_id <> 0`;

/** $1: account, $2: how many. */
export const RIGS_OF = `
  SELECT r.name AS rig, ${msOf('r.last_at')} AS "fromMs", 60 AS seconds
  FROM rig r JOIN account a ON a.id = r.account_id WHERE a.key = sha256(convert_to($1, 'UTF8'))
  ORDER BY r.last_at DESC NULLS LAST, r.name LIMIT $2`;

/** $1: account, $2: how many. */
export const PAYMENTS_OF = `
  SELECT b.id AS payout, l.amount::text AS amount, CASE l.state WHEN 'confirmed' THEN 'sent' ELSE l.state END AS state,
         ${msOf('b.prepared_at')} AS "preparedAtMs", ${msOf('l.changed_at')} AS "changedAtMs", coalesce(nullif(l.note, ''), b.note) AS note
  FROM payment l JOIN payout b ON b.id = l.payout_id
  WHERE l.account_id = ${ID_OF('$1')} ORDER BY l.payout_id DESC LIMIT $2`;

/** $1: how many blocks, $2: account. One row, or none. The fee is its own, or that of the latest block that was weighed. */
export const RECENT_PAY = `
  SELECT avg(reward)::numeric(38, 12)::text AS reward, count(*)::int AS blocks,
         coalesce((SELECT basis_points FROM account_fee WHERE account_id = ${ID_OF('$2')} AND valid_from <= now()
                   ORDER BY valid_from DESC LIMIT 1),
           (array_agg(fee_basis_points ORDER BY solution_id DESC) FILTER (WHERE weighed_at IS NOT NULL))[1]) AS "feeBasisPoints"
  FROM (SELECT solution_id, reward + fees AS reward, fee_basis_points, weighed_at FROM block
        WHERE reward IS NOT NULL AND state IN ('onChain', 'confirmed') ORDER BY solution_id DESC LIMIT $1) AS last
  HAVING count(*) > 0`;

const BLOCK_COLUMNS = `
  s.id, s.chain_id AS "chainId", s.height::float8 AS height, coalesce(encode(b.hash, 'hex'), '') AS hash, coalesce(b.depth, 0) AS depth,
  (b.reward + b.fees)::text AS reward, s.account, s.rig, s.node, s.detail, ${msOf('s.found_at')} AS "foundAtMs",
  CASE WHEN b.state NOT IN ('pending', 'unknown') THEN b.effort END AS effort`;

/** Solutions that a node may have taken. @param where conditions on `s` and `b` of the placeholders from $2 on; $1: how many. */
export const blocksWhere = (where: readonly string[]): string => `
  SELECT b.state, ${BLOCK_COLUMNS} FROM block b JOIN solution s ON s.id = b.solution_id
  WHERE ${['true', ...where].join(' AND ')} ORDER BY b.solution_id DESC LIMIT $1`;

/** Those that no node can have taken. As above. */
export const solutionsWhere = (where: readonly string[]): string => `
  SELECT s.state, ${BLOCK_COLUMNS} FROM solution s LEFT JOIN block b ON b.solution_id = s.id
  WHERE ${['b.solution_id IS NULL', ...where].join(' AND ')} ORDER BY s.id DESC LIMIT $1`;

export const OPEN_ROUND = `
  SELECT ${msOf('since')} AS "sinceMs",
         ((SELECT coalesce(sum(w), 0) FROM unnest(work) AS w)
          + (SELECT coalesce(sum(w.work), 0) FROM rig_work w WHERE w.kind = 0 AND w.starts_at >= until))::text AS work
  FROM open_round`;

/** $1: how many rounds. What no node has shown was no block; the work until it counts. */
export const LAST_ROUNDS = `
  SELECT count(*) FILTER (WHERE state <> 'unknown')::int AS blocks, coalesce(sum(effort), 0) AS expected
  FROM (SELECT state, effort FROM block WHERE weighed_at IS NOT NULL ORDER BY slot DESC, solution_id DESC LIMIT $1) AS last`;

/** $1: id of a block. What stands in the books for it, or is expected to. */
const STANDS = `
  SELECT account, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
  WHERE solution_id = $1 GROUP BY account HAVING sum(amount) <> 0`;

/** $1: id. */
export const SPLIT = `
  SELECT solution_id AS id, state, scheme, fee_basis_points AS "feeBasisPoints", (reward + fees)::text AS reward,
         (SELECT count(*)::int FROM (${STANDS}) AS stands) AS total
  FROM block WHERE solution_id = $1`;
/** $1: id, $2: offset, $3: how many. */
export const SPLIT_LINES = `
  SELECT a.name AS account, s.amount::text AS amount FROM (${STANDS}) AS s JOIN account a ON a.id = s.account
  ORDER BY s.amount DESC, a.name OFFSET $2 LIMIT $3`;

const COUNTS = PAYMENT_STATES.map((state) => `'${state}', count(*) FILTER (WHERE l.state = '${state}')`).join(
  ', ',
);
const PAYOUT_COLUMNS = `
  b.id, b.name, t.state, b.chain_id AS "chainId", t.payments, ${msOf('b.prepared_at')} AS "preparedAtMs", t."changedAtMs",
  b.minimum::text AS minimum, b.note, t.total, t.accounts`;
const PAYOUT_LINES = `
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(l.amount), 0)::numeric(38, 12)::text AS total, count(*)::int AS accounts, ${STATE_OF_LINES} AS state,
           ${msOf('max(l.changed_at)')} AS "changedAtMs", json_build_object(${COUNTS}) AS payments
    FROM payment l WHERE l.payout_id = b.id) t`;

/** $1: how many, $2: the id that they are before, or null. */
export const PAYOUTS = `
  SELECT ${PAYOUT_COLUMNS} FROM (
    SELECT * FROM payout WHERE $2::bigint IS NULL OR id < $2::bigint ORDER BY id DESC LIMIT $1) b ${PAYOUT_LINES}
  ORDER BY b.id DESC`;
/** $1: id. */
export const PAYOUT = `SELECT ${PAYOUT_COLUMNS} FROM payout b ${PAYOUT_LINES} WHERE b.id = $1`;
/** $1: id, $2: offset, $3: how many. */
export const LINES_OF = `
  SELECT a.name AS account, l.amount::text AS amount, l.state, l.request_key AS "requestKey"
  FROM payment l JOIN account a ON a.id = l.account_id WHERE l.payout_id = $1 ORDER BY a.name OFFSET $2 LIMIT $3`;

/**
 * The step that a time is in, $1: when the first one begins, $2: its length. Rows are put together by its beginning, and only what
 * comes of them is numbered: to number every row of a year of blocks takes three times as long.
 */
const beginOf = (time: string): string =>
  `date_bin(make_interval(secs => $2::float8 / 1000), ${time}, to_timestamp($1::float8 / 1000))`;
const NUMBER = "round((date_part('epoch', begins_at) * 1000 - $1::float8) / $2::float8)::int AS step";

const within = (time: string): string =>
  `${time} >= to_timestamp($3::float8 / 1000) AND ${time} < to_timestamp($4::float8 / 1000)`;

/** By the words of nodes; in the words of an index, which is then all that is read. */
const TAKEN = "s.state IN ('received', 'perhaps', 'lost')";

/** $1 to $4 as of sums. @param where of `s`, with placeholders from $5 on. */
export const blocksByStep = (where: string): string => `
  SELECT ${NUMBER}, sum(found)::int AS found, sum(orphaned)::int AS orphaned FROM (
    SELECT ${beginOf('found_at')} AS begins_at, count(*) AS found, 0 AS orphaned FROM solution s
      WHERE ${TAKEN} AND ${within('found_at')} ${where} GROUP BY 1
    UNION ALL
    SELECT ${beginOf('found_at')}, 0, count(*) FROM block b JOIN solution s ON s.id = b.solution_id
      WHERE b.state IN ('orphaned', 'unknown') AND ${TAKEN} AND ${within('found_at')} ${where} GROUP BY 1) AS counts
  GROUP BY begins_at`;

/** $1 to $4 as of sums: what was seen last in a step. */
export const UNPAID_BY_STEP = `
  SELECT DISTINCT ON (begins_at) ${NUMBER}, balance, held, paying FROM (
    SELECT ${beginOf('starts_at')} AS begins_at, starts_at, balance::float8 AS balance, held::float8 AS held, paying::float8 AS paying
    FROM owed WHERE ${within('starts_at')}) AS seen
  ORDER BY begins_at, starts_at DESC`;

export const EFFORT_BY_STEP = `
  SELECT ${NUMBER}, effort FROM (
    SELECT ${beginOf('slot')} AS begins_at, avg(effort) AS effort FROM block
    WHERE ${within('slot')} AND effort IS NOT NULL AND state NOT IN ('pending', 'unknown') GROUP BY 1) AS steps`;

/** $1: milliseconds where the first step begins, $2: of a step. */
export const FRESHNESS_BY_STEP = `
  SELECT round((${msOf('starts_at')} - $1::float8) / $2::float8)::int AS step, counts FROM freshness
  WHERE step_seconds = $2::float8 / 1000 AND starts_at >= to_timestamp($1::float8 / 1000)`;
