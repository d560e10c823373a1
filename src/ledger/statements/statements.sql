-- Postings, as bookkeepers want them.

-- name: account ($1: name)
SELECT account_of($1) AS id;

-- name: opening ($1: account, $2: since when)
SELECT coalesce(sum(amount), 0)::numeric(38, 12)::text AS opening FROM posting
WHERE account_id = $1 AND book = 'balance' AND period < $2;

-- name: lines ($1: account, $2: since when, $3: until when)
SELECT iso_of(p.period) AS "at!", p.cause AS what, p.change::text, p.paid::text, coalesce((
  SELECT string_agg(b.name, ' ' ORDER BY b.id) FROM payment l JOIN payout b ON b.id = l.payout_id
  WHERE l.account_id = $1 AND (
    (p.cause = 'payout prepared' AND period_of(b.prepared_at) = p.period)
    OR (p.cause = 'payout failed' AND l.state = 'failed' AND period_of(l.changed_at) = p.period))), '') AS payouts
FROM (
  SELECT period, cause, coalesce(sum(amount) FILTER (WHERE book = 'balance'), 0)::numeric(38, 12) AS change,
         coalesce(sum(amount) FILTER (WHERE book = 'paid'), 0)::numeric(38, 12) AS paid
  FROM posting WHERE account_id = $1 AND period >= $2 AND period < $3 GROUP BY period, cause) AS p
ORDER BY p.period, p.cause;

-- name: journal ($1: since when, $2: until when). All postings then.
SELECT iso_of(period) AS "at!", cause, a.name, book, amount::text AS amount FROM posting p JOIN account a ON a.id = p.account_id
WHERE period >= $1 AND period < $2 AND amount <> 0 ORDER BY period, cause, a.id, book;
