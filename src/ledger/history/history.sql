-- Upkeep of the books, and how fresh jobs were.

-- name: makeAhead
SELECT make_partitions_ahead();

-- name: sumUp ($1: table). What is to be put in place of the oldest partitions; null where nothing is to be summed up.
SELECT sum_up_oldest($1) AS name;

-- name: putInPlace ($1: table, $2: what was summed up)
SELECT put_in_place($1, $2);

-- name: drop ($1: table, $2: milliseconds that sums are kept)
SELECT drop_partitions($1, lasting_ms($2));

-- name: dropLeftOver ($1: table)
SELECT drop_left_over($1);

-- name: close ($1: slots that begin so many milliseconds ago, $2: milliseconds of patience)
SELECT close_slots(now() - lasting_ms($1), lasting_ms($2));

-- name: forgetEntries. What comes again later than that, of a bridge or queue that was away, is told by its number alone.
DELETE FROM entry WHERE booked_at < now() - interval '1 day';

-- name: seeOwed. Once in ten minutes, since it is a sum over all accounts. No chart shows more than a year.
WITH forgotten AS (DELETE FROM owed WHERE starts_at < now() - interval '366 days')
INSERT INTO owed (starts_at, due, expected, paying)
  SELECT period_of(now()), coalesce(sum(due), 0), (SELECT coalesce(sum(amount), 0) FROM expected_of(NULL) WHERE account_id > 0), coalesce(sum(paying), 0)
  FROM money WHERE account_id > 0 HAVING NOT EXISTS (SELECT FROM owed WHERE starts_at = period_of(now()))
ON CONFLICT DO NOTHING;

-- name: closeDay ($1: milliseconds that transfers are kept one by one). Whether there was one to close.
SELECT close_day(lasting_ms($1)) AS "closed!";

-- name: forgetWeights ($1: the same)
SELECT forget_weights(lasting_ms($1));

-- name: addDelays ($1: seconds ago, $2: counts, $3: seconds of the steps). What is of a clock that is fast is of now.
INSERT INTO freshness AS f (step_seconds, starts_at, counts)
SELECT s, date_bin(make_interval(secs => s), now() - make_interval(secs => greatest(0, $1::float8)), 'epoch'), $2::bigint[]
FROM unnest($3::int[]) AS s
ON CONFLICT (step_seconds, starts_at) DO UPDATE SET counts = (
  SELECT array_agg(a + b ORDER BY n) FROM unnest(f.counts, excluded.counts) WITH ORDINALITY AS t (a, b, n));

-- name: forgetDelays ($1: seconds of the steps, $2: how many are shown)
DELETE FROM freshness USING unnest($1::int[], $2::int[]) AS shown (seconds, steps)
WHERE step_seconds = seconds AND starts_at < now() - make_interval(secs => seconds::float8 * steps);
