-- Who worked in which slots: all that settlement reads of shares.

-- name: work ($1 to $4: times. Whole minutes from $2 on and before $3, single slots from $1 and before $4 on both sides of them.)
-- Of whole minutes, what nobody's account did is what is missing to what everybody did.
WITH single AS (
  SELECT rig_id, work, submits FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at >= $1 AND starts_at < $2
  UNION ALL SELECT rig_id, work, submits FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at >= $3 AND starts_at < $4
), whole AS MATERIALIZED (
  SELECT account_id, sum(work) AS work, sum(submits) AS submits FROM account_work
  WHERE kind = 0 AND starts_at >= $2 AND starts_at < $3 GROUP BY account_id
)
SELECT account_id AS account, sum(work)::text AS "work!", sum(submits)::text AS "shares!" FROM (
  SELECT account_id, work, submits FROM single JOIN rig ON id = rig_id
  UNION ALL SELECT account_id, work, submits FROM whole WHERE account_id <> 0
  UNION ALL SELECT 0, sum(CASE account_id WHEN 0 THEN work ELSE -work END), sum(CASE account_id WHEN 0 THEN submits ELSE -submits END)
    FROM whole HAVING count(*) > 0) AS parts
GROUP BY account_id HAVING sum(work) > 0;

-- name: pieceOf ($1: a time)
SELECT starts_at FROM account_work
WHERE account_id = 0 AND kind = 0 AND starts_at <= $1 AND starts_at > $1::timestamptz - interval '1 day'
  AND starts_at + seconds * interval '1 second' > $1;

-- name: allWork ($1 to $3 as above). Of all accounts together.
SELECT coalesce(sum(work), 0)::text AS work FROM (
  SELECT work FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at >= $1 AND starts_at < $2
  UNION ALL SELECT work FROM account_work WHERE kind = 0 AND account_id = 0 AND starts_at >= $2 AND starts_at < $3) AS parts;

-- name: pieces (from $1 on, and before $2). The newest first.
SELECT starts_at, seconds, work::text FROM account_work
WHERE account_id = 0 AND kind = 0 AND starts_at >= $1 AND starts_at < $2 ORDER BY starts_at DESC;

-- name: firstFrom ($1: a time)
SELECT starts_at FROM account_work WHERE account_id = 0 AND kind = 0 AND starts_at >= $1 ORDER BY starts_at LIMIT 1;

-- name: expectedIn (from $1 on, and before $2)
SELECT account_id::text AS account, sum(expected)::text AS expected FROM account_work
WHERE kind = 0 AND account_id <> 0 AND starts_at >= $1 AND starts_at < $2 GROUP BY 1;

-- name: openRound
SELECT round_until AS until, round_accounts AS accounts, round_work::text[] AS work FROM settlement FOR UPDATE;

-- name: writeRound ($1: since when, null where that stays, $2: until when, $3: accounts, $4: their work)
UPDATE settlement SET round_since = coalesce($1, round_since), round_until = $2, round_accounts = $3, round_work = $4;

-- name: near ($1: milliseconds that may be left to be read). To a whole minute, and no further than to a block that is to be weighed.
SELECT "to" AS "to!" FROM (
  SELECT round_until AS until, (
    SELECT date_bin('1 minute', least(closed_until, min(b.slot)), 'epoch') FROM unweighed_block b) AS "to"
  FROM settlement) AS round
WHERE "to" >= until + lasting_ms($1);
