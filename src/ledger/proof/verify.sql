-- Checks of the ledger. Each row is a sentence that says what breaks one; at most twenty, which are shown.
-- $1 and $2: where a piece of history begins and ends, both part of it.

-- name: balances ()
SELECT format('account %s: its balance is %s, of it paid %s, and its transfers come to %s and %s', account_id, b.amount, b.paid, t.amount, t.paid) AS says
FROM balance b FULL JOIN (
  SELECT account_id, sum(amount) AS amount, sum(paid) AS paid FROM (
    SELECT credit AS account_id, sum(amount) AS amount, -sum(amount) FILTER (WHERE code = 'paid reversed') AS paid FROM transfer GROUP BY 1
    UNION ALL SELECT debit, -sum(amount), sum(amount) FILTER (WHERE code = 'paid') FROM transfer GROUP BY 1) AS sides
  GROUP BY 1) t USING (account_id)
WHERE coalesce(b.amount, 0) <> coalesce(t.amount, 0) OR coalesce(b.paid, 0) <> coalesce(t.paid, 0)
ORDER BY says LIMIT 20;

-- name: blocks ($1, $2)
-- By the transfers of its last split. A day that is closed has none of single blocks.
SELECT format('block %s is %s and pays %s: its split comes to %s, and its transfers to %s less %s that were taken back', id, state, pays, split, moved, back) AS says
FROM (
  SELECT b.id, b.state, b.due, b.weighed_at, b.split_from, b.slot, b.scheme, b.reward + b.fees AS pays, b.split_total AS split,
         coalesce(t.moved, 0) AS moved, coalesce(t.back, 0) AS back,
         b.changed_at < (SELECT coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity') FROM closed_day) AS is_closed
  FROM block b LEFT JOIN (
    SELECT of, time, sum(amount) FILTER (WHERE code <> 'block reversed') AS moved, sum(amount) FILTER (WHERE code = 'block reversed') AS back
    FROM transfer WHERE code IN ('block', 'fee', 'block reversed') AND time > 0 AND of BETWEEN $1 AND $2 GROUP BY 1, 2) t ON t.of = b.id AND t.time = b.splits
  WHERE b.id BETWEEN $1 AND $2) AS block
WHERE NOT due AND weighed_at IS NOT NULL AND CASE
  WHEN split_from IS NOT NULL THEN state <> 'confirmed' OR pays IS DISTINCT FROM split OR NOT is_closed AND (moved, back) <> (split, 0)
  -- It may have been taken back on the day after one that is closed.
  ELSE NOT is_closed AND moved NOT IN (0, back) OR state = 'confirmed' AND pays IS NOT NULL AND NOT EXISTS (
    SELECT FROM block u WHERE u.slot < block.slot AND u.state = 'pending' AND 'prop' IN (block.scheme, u.scheme)) END
ORDER BY says LIMIT 20;

-- name: payouts ()
SELECT format('%L: paid %s, payments %s', owner, coalesce(a.paid, 0), coalesce(l.amount, 0)) AS says
FROM (SELECT name AS owner, paid FROM balance JOIN account ON id = account_id WHERE paid <> 0) a
FULL JOIN (
  SELECT account.name AS owner, sum(amount) AS amount FROM payout_line JOIN account ON account.id = account_id
  WHERE state IN ('sent', 'confirmed') GROUP BY 1) l
USING (owner) WHERE coalesce(a.paid, 0) <> coalesce(l.amount, 0)
ORDER BY says LIMIT 20;

-- name: transactions ()
SELECT format('line %s is %s, and its transaction %s is %s', n.id, n.state, t.request_key, t.state) AS says
FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id
WHERE CASE t.state WHEN 'paid' THEN n.state <> 'confirmed' OR n.request_key IS DISTINCT FROM t.request_key WHEN 'open' THEN n.state NOT IN ('prepared', 'unknown') ELSE false END
UNION ALL
SELECT format('transaction %s cost %s, and %s was transferred for its gas', t.request_key, t.gas, coalesce(g.amount, 0))
FROM chain_transaction t LEFT JOIN LATERAL (
  SELECT sum(amount) AS amount FROM transfer WHERE code = 'gas' AND of = t.id AND time = t.ended_times) g ON true
WHERE t.state IN ('paid', 'failed') AND NOT t.by_hand AND t.gas > 0 AND t.gas <> coalesce(g.amount, 0)
  AND t.built_at > (SELECT coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity') FROM closed_day)
ORDER BY says LIMIT 20;

-- name: days ()
SELECT format('%s: %s transfers were summed, and its sums are of %s', day, d.transfers, coalesce(t.transfers, 0)) AS says
FROM closed_day d LEFT JOIN (SELECT of, sum(transfers) AS transfers FROM transfer WHERE time = 0 GROUP BY 1) t ON t.of = d.day - date 'epoch'
WHERE d.transfers <> coalesce(t.transfers, 0)
ORDER BY says LIMIT 20;

-- name: shares ()
SELECT format('rounds hold work %s; logs brought %s', rounds, logs) AS says FROM (
  SELECT (SELECT coalesce(sum(round_work), 0) FROM block) + (SELECT coalesce(sum(w), 0) FROM settlement, unnest(round_work) AS w)
         + (SELECT coalesce(sum(work), 0) FROM rig_work WHERE kind = 0 AND starts_at >= (SELECT round_until FROM settlement)) AS rounds,
         (SELECT coalesce(sum(work), 0) FROM log) AS logs) AS sums
WHERE rounds <> logs
ORDER BY says LIMIT 20;

-- name: rounds ()
-- Work in the minutes since the start of a day is at most that since the last block before, and at least that since the first one after.
-- Since the first day it is all there is, unless older days were dropped. Rounds of version 0.1 went by other times.
WITH everything AS (SELECT coalesce(sum(work), 0) AS work, min(started_at) AS began FROM log),
former AS (SELECT coalesce(max(started_at), '-infinity') AS until FROM log WHERE declared_number = 0 AND shares > 0),
day AS (
  SELECT at, sum(work) OVER (ORDER BY at DESC) AS work, at = min(at) OVER () AS is_first FROM (
    SELECT date_bin('1 day', starts_at, 'epoch') AS at, sum(work) AS work FROM account_work WHERE account_id = 0 AND kind = 0 GROUP BY 1) AS days
), round AS (
  SELECT slot AS at, sum(sum(round_work)) OVER (ORDER BY slot) AS work FROM block WHERE weighed_at IS NOT NULL GROUP BY slot
), told AS (
  SELECT at, minutes, e.work - coalesce(max(rounds) OVER before, 0) AS most,
         CASE WHEN is_first AND at <= e.began THEN e.work ELSE coalesce(e.work - min(rounds) OVER after, 0) END AS least
  FROM (SELECT at, work AS minutes, NULL::numeric AS rounds, is_first FROM day UNION ALL SELECT at, NULL, work, false FROM round) AS times, everything e
  WINDOW before AS (ORDER BY at, rounds NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
         after AS (ORDER BY at DESC, rounds DESC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT format('since %s minutes hold work %s, rounds from %s to %s', at, minutes, least, most) AS says
FROM told, former WHERE at >= former.until AND (minutes > most OR minutes < least) ORDER BY at
LIMIT 20;

-- name: minutes ($1, $2)
SELECT format('from %s to %s, account %s, kind %s: rigs %s of work %s, minutes %s of %s', $1::timestamptz, $2::timestamptz, account_id, kind,
              r.submits, r.work, m.submits, m.work) AS says
FROM (
  SELECT coalesce(account_id, 0) AS account_id, kind, sum(submits) AS submits, sum(work) AS work FROM (
    SELECT rig_id, kind, sum(submits) AS submits, sum(work) AS work FROM rig_work WHERE starts_at BETWEEN $1 AND $2 GROUP BY 1, 2) AS sums
  LEFT JOIN rig ON rig.id = rig_id
  GROUP BY GROUPING SETS ((account_id, kind), (kind)) HAVING grouping(account_id) = 1 OR account_id <> 0) r
FULL JOIN (
  SELECT account_id, kind, sum(submits) AS submits, sum(work) AS work FROM account_work
  WHERE kind < 100 AND starts_at BETWEEN $1 AND $2 GROUP BY 1, 2) m USING (account_id, kind)
WHERE (r.submits, r.work) IS DISTINCT FROM (m.submits, m.work)
ORDER BY says LIMIT 20;

-- name: pps ()
-- Also ten minutes that should have been paid, as long as they are sums of their own.
SELECT format('%s of pay per share: %s', starts_at, says) AS says FROM (
  SELECT p.starts_at, format('worth %s, transferred %s', p.total, coalesce(sum(t.amount), 0)) AS says
  FROM pps_period p LEFT JOIN transfer t ON t.code = 'pps' AND t.of = extract(epoch FROM p.starts_at)::bigint / 600 AND t.time > 0
  WHERE p.starts_at > (SELECT coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity') FROM closed_day)
  GROUP BY p.starts_at, p.total HAVING p.total <> coalesce(sum(t.amount), 0)
  UNION ALL
  SELECT period_of(m.starts_at), 'never paid' FROM account_work m, settlement
  WHERE m.account_id > 0 AND m.kind = 0 AND m.expected > 0 AND m.seconds <= 600 AND m.starts_at < periods_until AND NOT EXISTS (
    SELECT FROM pps_period p WHERE p.starts_at = period_of(m.starts_at)) AND 'pps' = (
    SELECT r.rules ->> 'rewards.scheme' FROM rules r WHERE r.valid_from <= period_of(m.starts_at) ORDER BY r.version DESC LIMIT 1)
  GROUP BY 1) AS periods
ORDER BY says LIMIT 20;

-- name: weights ($1, $2)
SELECT format('block %s: weights %s, work of its round %s', w.block_id, w.work, r.work) AS says FROM (
  SELECT block_id, sum(one) AS work FROM block_weight, unnest(work) AS one WHERE block_id BETWEEN $1 AND $2 GROUP BY 1) w
JOIN block b ON b.id = w.block_id
CROSS JOIN LATERAL (SELECT sum(round_work) AS work FROM block WHERE slot = b.slot) r
WHERE b.scheme IN ('prop', 'pps') AND w.work <> r.work
ORDER BY says LIMIT 20;

-- name: acknowledged ()
SELECT format('%s has acknowledged %s shares of work %s %s than are booked%s', bridge, abs(shares), abs(work),
  CASE WHEN shares < 0 OR work < 0 THEN 'less' ELSE 'more' END, CASE WHEN gaps <> '{}' THEN format(': later entries came, and %s did not; `ledger entry list` shows those that cannot be read', numbers_in_words(gaps)) END) AS says
FROM unaccounted() WHERE shares < 0 OR work < 0 OR CASE
  WHEN gaps = '{}' THEN NOT is_guess AND (shares, work) <> (0, 0)
  ELSE ended_by IS NULL AND is_late END
ORDER BY says LIMIT 20;

-- name: without ()
SELECT says FROM (
  SELECT 1 AS place, now() AS at, format('%s shares of work %s of %s are set aside: `ledger entry list`', s.shares, s.work, bridge) AS says
  FROM unaccounted() u JOIN (SELECT log, sum(shares) AS shares, sum(work) AS work FROM unbooked WHERE given_up_by IS NULL GROUP BY 1) s USING (log)
  UNION ALL
  SELECT 2, given_up_at, format('%s gave up %s shares of work %s of %s at %s: %s', given_up_by, g.shares, g.work, bridge, given_up_at,
    CASE WHEN part IS NULL THEN format('its %s, as far as that could be counted', numbers_in_words(int8multirange(int8range(number, last_number, '[]')))) ELSE format('a part of its entry %s', number) END)
  FROM unbooked g JOIN unaccounted() USING (log) WHERE given_up_by IS NOT NULL
  UNION ALL
  SELECT 2, now(), format('of what was given up of %s, %s shares of work %s could not be counted', bridge, shares, work)
  FROM unaccounted() WHERE is_guess AND gaps = '{}' AND shares >= 0 AND work >= 0 AND (shares, work) <> (0, 0)
  UNION ALL
  SELECT 3, ended_at, format('%s ended %s at %s (%s): what it had accepted after %s and had not brought counts for later blocks, if it comes%s', ended_by, bridge,
    ended_at, ended_note, watermark, CASE WHEN gaps <> '{}' THEN format('; missing are %s, of %s shares and work %s', numbers_in_words(gaps), shares, work) END)
  FROM unaccounted() WHERE ended_by IS NOT NULL
) AS told ORDER BY place, at DESC
LIMIT 20;

-- name: closed ()
SELECT format('shares are closed until %s, and it is %s: a clock was wrong; a bridge whose clock is right brings it back within a minute, as far as no block was paid by it', closed_until, now()) AS says
FROM settlement WHERE closed_until > clock_timestamp()
ORDER BY says LIMIT 20;

-- name: bridges ()
SELECT format('%s blocks, of %s to %s, were weighed without what %s may have accepted after it was heard of last, at %s',
  missed_blocks, missed_first, missed_last, bridge_in_words(place, id), missed_after) AS says
FROM log WHERE missed_blocks > 0 ORDER BY missed_last DESC
LIMIT 20;

-- Pieces, each small enough for a moment, and no more of them than there are days, weeks or thousands of blocks.

-- name: ofDays ()
SELECT ARRAY[at, at + interval '1 day' - interval '1 microsecond']::text[] AS piece
FROM (SELECT min(starts_at) AS first, max(starts_at) AS last FROM rig_work) AS ends,
     generate_series(date_bin('1 day', first, 'epoch'), last, interval '1 day') AS at;

-- name: ofBlocks ()
SELECT ARRAY[min(id), max(id)]::text[] AS piece
FROM (SELECT id, row_number() OVER (ORDER BY id) / 1000 AS thousand FROM block) AS numbered
GROUP BY thousand ORDER BY thousand;
