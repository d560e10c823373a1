-- What was done, by step of time and kind. $1: when the first step begins, $2: its length, $3 and $4: the time that is read, all in
-- milliseconds.

-- name: times
SELECT ms_of(now()) AS "nowMs";

-- name: accountId ($1: account; one that works)
SELECT account_of($1) AS "id!" WHERE EXISTS (SELECT FROM rig WHERE rig.account_id = account_of($1));

-- name: rigId ($1: account, $2: rig)
SELECT id FROM rig WHERE key = rig_key($1, $2);

-- name: ofAccount ($5: account, 0 for all; $6: kinds)
SELECT step_number(begins_at, $1, $2) AS "step!", kind::int AS kind, amount, work, squares FROM (
  SELECT step_begin(starts_at, $1, $2) AS begins_at, kind, sum(submits)::float8 AS amount, sum(work)::float8 AS work,
         sum(squares)::float8 AS squares
  FROM account_work
  WHERE account_id = $5 AND kind = ANY ($6::smallint[]) AND starts_at >= at_ms($3) AND starts_at < at_ms($4) GROUP BY 1, 2) AS steps;

-- name: ofRig ($5: rig; $6: kinds)
SELECT step_number(begins_at, $1, $2) AS "step!", kind::int AS kind, amount, work, squares FROM (
  SELECT step_begin(starts_at, $1, $2) AS begins_at, kind, sum(submits)::float8 AS amount, sum(work)::float8 AS work,
         coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares
  FROM rig_work
  WHERE rig_id = $5 AND kind = ANY ($6::smallint[]) AND starts_at >= at_ms($3) AND starts_at < at_ms($4) GROUP BY 1, 2) AS steps;

-- name: rigOnline ($5: rig; $6: the kind that it is told as)
SELECT step_number(begins_at, $1, $2) AS "step!", $6::int AS "kind!", sum(seconds)::float8 AS amount, 0::float8 AS work, 0::float8 AS squares
FROM (
  SELECT step_begin(at, $1, $2) AS begins_at, seconds FROM (
    SELECT date_bin('10 minutes', starts_at, 'epoch') AS at, greatest(max(seconds), 600) AS seconds FROM rig_work
    WHERE rig_id = $5 AND kind = 0 AND starts_at >= at_ms($3) AND starts_at < at_ms($4) GROUP BY 1) AS present) AS steps
GROUP BY begins_at;

-- name: ofSlots ($5: account, null for all; $6: kinds)
SELECT step_number(begins_at, $1, $2) AS "step!", kind::int AS kind, amount, work, squares FROM (
  SELECT step_begin(starts_at, $1, $2) AS begins_at, kind, sum(submits)::float8 AS amount, sum(work)::float8 AS work,
         coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares
  FROM rig_work
  WHERE ($5::int IS NULL OR rig_id IN (SELECT id FROM rig WHERE account_id = $5)) AND kind = ANY ($6::smallint[])
    AND starts_at >= at_ms($3) AND starts_at < at_ms($4) GROUP BY 1, 2) AS steps;
