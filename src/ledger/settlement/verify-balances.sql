-- Postings of periods that are over do not change, so they are summed a day at a time.

-- name: over. Where periods are over: that is longer ago than any transaction lasts, and nothing is posted before it any more.
SELECT period_of(now() - interval '1 hour')::text AS over;

-- name: daysBefore ($1: where periods are not over)
SELECT at::text AS "from" FROM (SELECT min(period) AS first FROM posting) AS ends,
  generate_series(date_bin('1 day', first, 'epoch'), $1::timestamptz, interval '1 day') AS at;

-- name: sumsOfDay ($1: where a day begins, $2: where periods are not over)
SELECT account_id, book, sum(amount)::text AS amount FROM posting
WHERE period >= $1 AND period < least($1::timestamptz + interval '1 day', $2::timestamptz) GROUP BY 1, 2;

-- name: sumsSince ($1: where periods are not over). What came since, less what stands there now.
SELECT account_id, book, sum(amount)::text AS amount FROM (
  SELECT account_id, book, amount FROM posting WHERE period >= $1
  UNION ALL SELECT account_id, book, -amount FROM balance) AS lines
GROUP BY 1, 2;
