-- What was done over time, by step. $1: when the first step begins, $2: its length, $3 and $4: the time that is read, all in milliseconds.

-- name: blocks ($5: account, $6: rig; null for all)
-- By the words of nodes; in the words of an index, which is then all that is read.
SELECT step_number(begins_at, $1, $2) AS "step!", found::int, orphaned::int FROM (
  SELECT step_begin(found_at, $1, $2) AS begins_at, count(*) AS found, count(*) FILTER (WHERE state = 'orphaned') AS orphaned FROM block
  WHERE said IN ('received', 'perhaps', 'lost') AND found_at >= at_ms($3) AND found_at < at_ms($4)
    AND ($5::text IS NULL OR account = $5) AND ($6::text IS NULL OR rig = $6) GROUP BY 1) AS counts;

-- name: effort
SELECT step_number(begins_at, $1, $2) AS "step!", effort FROM (
  SELECT step_begin(slot, $1, $2) AS begins_at, avg(effort) AS effort FROM block
  WHERE slot >= at_ms($3) AND slot < at_ms($4) AND effort IS NOT NULL GROUP BY 1) AS steps;

-- name: freshness ($1 and $2 alone)
SELECT step_number(starts_at, $1, $2) AS "step!", counts FROM freshness
WHERE step_seconds = $2::float8 / 1000 AND starts_at >= at_ms($1);

-- name: unpaid. What was seen last in a step.
SELECT DISTINCT ON (begins_at) step_number(begins_at, $1, $2) AS "step!", due, expected, paying FROM (
  SELECT step_begin(starts_at, $1, $2) AS begins_at, starts_at, due::float8 AS due, expected::float8 AS expected, paying::float8 AS paying
  FROM owed WHERE starts_at >= at_ms($3) AND starts_at < at_ms($4)) AS seen
ORDER BY begins_at, starts_at DESC;
