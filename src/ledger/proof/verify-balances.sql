-- Sums of postings by account and book, a week at a time: periods that are over do not change.

-- name: over (longer than any transaction lasts: before that nothing is posted any more)
SELECT period_of(now() - interval '1 hour')::text AS "over!";

-- name: weeks ($1: where periods are not over)
SELECT at::text AS "from!" FROM (SELECT min(period) AS first FROM posting) AS ends,
  generate_series(date_bin('1 day', first, 'epoch'), $1::timestamptz, interval '7 days') AS at;

-- name: sums ($1: where a week begins, $2: where periods are not over)
SELECT account_id, book, sum(amount)::text AS amount FROM posting
WHERE period >= $1 AND period < least($1::timestamptz + interval '7 days', $2::timestamptz) GROUP BY 1, 2;

-- name: rest ($1: where periods are not over; what came since, less what stands there now)
SELECT account_id, book, sum(amount)::text AS amount FROM (
  SELECT account_id, book, amount FROM posting WHERE period >= $1
  UNION ALL SELECT account_id, book, -amount FROM balance) AS lines
GROUP BY 1, 2;
