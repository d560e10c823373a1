-- Checks of the books. Each row is a sentence that says what breaks one; at most twenty, which are shown.
-- $1 and $2: where a piece of history begins and ends, both part of it.

-- name: postings ($1, $2)
SELECT format('%s of %s: %s', cause, period, sum(amount)) AS says FROM posting WHERE period BETWEEN $1 AND $2
GROUP BY period, cause HAVING sum(amount) <> 0
ORDER BY says LIMIT 20;

-- name: rewards ($1, $2)
SELECT format('block of solution %s: pays %s, split %s', b.solution_id, b.reward + b.fees, coalesce(s.amount, 0)) AS says
FROM block b LEFT JOIN (
  SELECT solution_id, sum(one) AS amount FROM block_split, unnest(amounts) AS one
  WHERE solution_id BETWEEN $1 AND $2 GROUP BY 1) s USING (solution_id)
WHERE b.solution_id BETWEEN $1 AND $2 AND b.state <> 'pending'
  AND (b.posted_at IS NOT NULL OR NOT b.due) AND coalesce(s.amount, 0) <> CASE WHEN b.split_from IS NULL THEN 0 ELSE b.reward + b.fees END
ORDER BY says LIMIT 20;

-- name: blocks ($1, $2)
SELECT format('block of solution %s is %s, and its split is %s', b.solution_id, b.state,
              CASE WHEN b.posted_at IS NULL THEN 'not posted' ELSE 'posted' END) AS says
FROM block b WHERE b.solution_id BETWEEN $1 AND $2 AND NOT b.due AND b.weighed_at IS NOT NULL AND CASE
  WHEN b.state NOT IN ('pending', 'confirmed') THEN b.split_from IS NOT NULL OR b.posted_at IS NOT NULL
  WHEN b.state = 'pending' THEN b.posted_at IS NOT NULL
  WHEN b.reward IS NULL THEN b.split_from IS NOT NULL
  ELSE b.split_from IS NULL OR (b.posted_at IS NULL AND NOT EXISTS (
    SELECT FROM block u WHERE u.slot < b.slot AND u.state = 'pending' AND 'prop' IN (b.scheme, u.scheme))) END
ORDER BY says LIMIT 20;

-- name: splits ($1, $2)
SELECT format('%s of %s, account %s: posted %s, split %s', cause, period, account_id, coalesce(p.amount, 0), coalesce(s.amount, 0)) AS says
FROM (SELECT period, cause, account_id, amount FROM posting
      WHERE period BETWEEN $1 AND $2 AND book = 'balance' AND cause IN ('block', 'reversed', 'split again')) p
FULL JOIN (
  SELECT period, cause, account AS account_id, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
  WHERE period BETWEEN $1 AND $2 GROUP BY 1, 2, 3) s USING (period, cause, account_id)
WHERE coalesce(p.amount, 0) <> coalesce(s.amount, 0)
ORDER BY says LIMIT 20;

-- name: held ()
SELECT format('account %s: held %s, splits %s', account_id, coalesce(h.amount, 0), coalesce(s.amount, 0)) AS says FROM held h FULL JOIN (
  SELECT account AS account_id, sum(amount) AS amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
  WHERE period IS NULL GROUP BY 1) s USING (account_id) WHERE coalesce(h.amount, 0) <> coalesce(s.amount, 0)
ORDER BY says LIMIT 20;

-- name: payouts ()
SELECT format('%s of %L: books %s, payments %s', book, owner, coalesce(a.amount, 0), coalesce(l.amount, 0)) AS says
FROM (SELECT name AS owner, book, amount FROM balance JOIN account ON id = account_id WHERE book IN ('paying', 'paid')) a
FULL JOIN (
  SELECT account.name AS owner, CASE WHEN state IN ('sent', 'confirmed') THEN 'paid' ELSE 'paying' END AS book, sum(amount) AS amount
  FROM payment JOIN account ON account.id = account_id WHERE state <> 'failed' GROUP BY 1, 2) l
USING (owner, book) WHERE coalesce(a.amount, 0) <> coalesce(l.amount, 0)
ORDER BY says LIMIT 20;

-- name: shares ()
SELECT format('rounds hold work %s; logs brought %s', rounds, logs) AS says FROM (
  SELECT (SELECT coalesce(sum(round_work), 0) FROM block) + (SELECT coalesce(sum(w), 0) FROM open_round, unnest(work) AS w)
         + (SELECT coalesce(sum(work), 0) FROM rig_work WHERE kind = 0 AND starts_at >= (SELECT until FROM open_round)) AS rounds,
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
    SELECT date_bin('1 day', starts_at, 'epoch') AS at, sum(work) AS work FROM account_minute WHERE account_id = 0 AND kind = 0 GROUP BY 1) AS days
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
  SELECT account_id, kind, sum(submits) AS submits, sum(work) AS work FROM account_minute
  WHERE kind < 100 AND starts_at BETWEEN $1 AND $2 GROUP BY 1, 2) m USING (account_id, kind)
WHERE (r.submits, r.work) IS DISTINCT FROM (m.submits, m.work)
ORDER BY says LIMIT 20;

-- name: pps ($1, $2)
SELECT format('posted in %s: %s, periods %s', posted_in, p.amount, s.amount) AS says
FROM (SELECT period AS posted_in, -sum(amount) AS amount FROM posting
      WHERE period BETWEEN $1 AND $2 AND book = 'pps' AND cause = 'pps' GROUP BY 1) p
FULL JOIN (SELECT posted_in, sum(total) AS amount FROM pps_period WHERE posted_in BETWEEN $1 AND $2 GROUP BY 1) s USING (posted_in)
WHERE p.amount IS DISTINCT FROM s.amount
ORDER BY says LIMIT 20;

-- name: weights ($1, $2)
SELECT format('block of solution %s: weights %s, work of its round %s', w.solution_id, w.work, r.work) AS says FROM (
  SELECT solution_id, sum(one) AS work FROM block_weight, unnest(work) AS one WHERE solution_id BETWEEN $1 AND $2 GROUP BY 1) w
JOIN block b USING (solution_id)
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
  FROM unaccounted() u JOIN (SELECT log, sum(shares) AS shares, sum(work) AS work FROM set_aside GROUP BY 1) s USING (log)
  UNION ALL
  SELECT 2, given_up_at, format('%s gave up %s shares of work %s of %s at %s: %s', given_up_by, g.shares, g.work, bridge, given_up_at,
    CASE WHEN is_whole THEN format('its %s, as far as that could be counted', numbers_in_words(int8multirange(int8range(number, last_number, '[]')))) ELSE format('a part of its entry %s', number) END)
  FROM given_up g JOIN unaccounted() USING (log)
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
SELECT format('shares are closed until %s, and it is %s: a clock was wrong; a bridge whose clock is right brings it back within a minute', until, now()) AS says
FROM closed WHERE until > now()
ORDER BY says LIMIT 20;

-- name: bridges ()
SELECT format('%s blocks, of %s to %s, were weighed without what %s may have accepted after it was heard of last, at %s',
  blocks, first_slot, last_slot, bridge_in_words(place, log), heard_at) AS says
FROM absent_log ORDER BY last_slot DESC
LIMIT 20;

-- Pieces, each small enough for a moment, and no more of them than there are days, weeks or thousands of blocks.

-- name: periods ()
SELECT ARRAY[at, at + interval '7 days' - interval '1 microsecond']::text[] AS piece
FROM (SELECT min(period) AS first, max(period) AS last FROM posting) AS ends,
     generate_series(date_bin('1 day', first, 'epoch'), last, interval '7 days') AS at;

-- name: days ()
SELECT ARRAY[at, at + interval '1 day' - interval '1 microsecond']::text[] AS piece
FROM (SELECT min(starts_at) AS first, max(starts_at) AS last FROM rig_work) AS ends,
     generate_series(date_bin('1 day', first, 'epoch'), last, interval '1 day') AS at;

-- name: thousands ()
SELECT ARRAY[min(solution_id), max(solution_id)]::text[] AS piece
FROM (SELECT solution_id, row_number() OVER (ORDER BY solution_id) / 1000 AS thousand FROM block) AS numbered
GROUP BY thousand ORDER BY thousand;
