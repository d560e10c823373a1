-- What was done, by step of time and kind. $1: when the first step begins, $2: its length, $3 and $4: the time that is read, all in
-- milliseconds. Rows are put together by the beginning of their step, and only what comes of them is numbered: to number every row of
-- a year of blocks takes three times as long.

-- name: times ()
-- row: nowMs double precision
SELECT (extract(epoch FROM now()) * 1000)::float8 AS "nowMs";

-- name: accountId ($1: account; one that works)
-- row: id integer
SELECT id FROM account WHERE key = sha256(convert_to($1, 'UTF8')) AND EXISTS (SELECT FROM rig WHERE rig.account_id = account.id);

-- name: rigId ($1: account, $2: rig)
-- row: id integer
SELECT id FROM rig WHERE key = rig_key($1, $2);

-- name: ofAccount ($5: account, 0 for all; $6: kinds)
-- row: step integer, kind integer, amount double precision, work double precision, squares double precision
SELECT round((date_part('epoch', begins_at) * 1000 - $1::float8) / $2::float8)::int AS step, kind::int AS kind, amount, work, squares
FROM (
  SELECT date_bin(make_interval(secs => $2::float8 / 1000), starts_at, to_timestamp($1::float8 / 1000)) AS begins_at, kind,
         sum(submits)::float8 AS amount, sum(work)::float8 AS work, sum(squares)::float8 AS squares
  FROM account_minute
  WHERE account_id = $5 AND kind = ANY ($6::smallint[])
    AND starts_at >= to_timestamp($3::float8 / 1000) AND starts_at < to_timestamp($4::float8 / 1000)
  GROUP BY 1, 2) AS steps;

-- name: ofRig ($5: rig; $6: kinds)
-- row: step integer, kind integer, amount double precision, work double precision, squares double precision
SELECT round((date_part('epoch', begins_at) * 1000 - $1::float8) / $2::float8)::int AS step, kind::int AS kind, amount, work, squares
FROM (
  SELECT date_bin(make_interval(secs => $2::float8 / 1000), starts_at, to_timestamp($1::float8 / 1000)) AS begins_at, kind,
         sum(submits)::float8 AS amount, sum(work)::float8 AS work,
         coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares
  FROM rig_work
  WHERE rig_id = $5 AND kind = ANY ($6::smallint[])
    AND starts_at >= to_timestamp($3::float8 / 1000) AND starts_at < to_timestamp($4::float8 / 1000)
  GROUP BY 1, 2) AS steps;

-- name: rigOnline ($5: rig; $6: the kind that it is told as)
-- row: step integer, kind integer, amount double precision, work double precision, squares double precision
SELECT round((date_part('epoch', begins_at) * 1000 - $1::float8) / $2::float8)::int AS step, $6::int AS kind,
       sum(seconds)::float8 AS amount, 0::float8 AS work, 0::float8 AS squares
FROM (
  SELECT date_bin(make_interval(secs => $2::float8 / 1000), at, to_timestamp($1::float8 / 1000)) AS begins_at, seconds FROM (
    SELECT date_bin('10 minutes', starts_at, 'epoch') AS at, greatest(max(seconds), 600) AS seconds FROM rig_work
    WHERE rig_id = $5 AND kind = 0
      AND starts_at >= to_timestamp($3::float8 / 1000) AND starts_at < to_timestamp($4::float8 / 1000)
    GROUP BY 1) AS present) AS steps
GROUP BY begins_at;

-- name: ofSlots ($5: account, null for all; $6: kinds)
-- row: step integer, kind integer, amount double precision, work double precision, squares double precision
SELECT round((date_part('epoch', begins_at) * 1000 - $1::float8) / $2::float8)::int AS step, kind::int AS kind, amount, work, squares
FROM (
  SELECT date_bin(make_interval(secs => $2::float8 / 1000), starts_at, to_timestamp($1::float8 / 1000)) AS begins_at, kind,
         sum(submits)::float8 AS amount, sum(work)::float8 AS work,
         coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares
  FROM rig_work
  WHERE ($5::int IS NULL OR rig_id IN (SELECT id FROM rig WHERE account_id = $5)) AND kind = ANY ($6::smallint[])
    AND starts_at >= to_timestamp($3::float8 / 1000) AND starts_at < to_timestamp($4::float8 / 1000)
  GROUP BY 1, 2) AS steps;
