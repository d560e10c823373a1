-- Transfers, as bookkeepers want them.

-- name: account ($1: name)
SELECT account_of($1) AS id;

-- name: opening ($1: account, $2: since when)
SELECT coalesce(sum(amount), 0)::numeric(38, 12)::text AS opening FROM (
  SELECT amount FROM transfer WHERE credit = $1 AND at < $2
  UNION ALL SELECT -amount FROM transfer WHERE debit = $1 AND at < $2) AS sides;

-- name: lines ($1: account, $2: since when, $3: until when)
SELECT iso_of(period) AS "at!", code AS what, sum(amount)::numeric(38, 12)::text AS change,
       sum(CASE WHEN code IN ('paid', 'paid reversed') THEN -amount ELSE 0 END)::numeric(38, 12)::text AS paid,
       coalesce(string_agg(DISTINCT payout, ' '), '') AS payouts
FROM (
  SELECT date_bin(CASE time WHEN 0 THEN interval '1 day' ELSE interval '10 minutes' END, at, 'epoch') AS period, code, side.amount,
         CASE WHEN code IN ('paid', 'paid reversed') AND time > 0 THEN (
           SELECT b.name FROM payout_line l JOIN payout b ON b.id = l.payout_id WHERE l.id = of) END AS payout
  FROM (
    SELECT code, of, time, at, amount FROM transfer WHERE credit = $1 AND at >= $2 AND at < $3
    UNION ALL SELECT code, of, time, at, -amount FROM transfer WHERE debit = $1 AND at >= $2 AND at < $3) AS side) AS line
GROUP BY period, code ORDER BY period, code;

-- name: journal ($1: since when, $2: until when). All transfers then.
SELECT iso_of(t.at) AS "at!", t.code, t.of::text AS of, t.time, d.name AS debit, c.name AS credit, t.amount::text AS amount, t.transfers::text AS transfers
FROM transfer t JOIN account d ON d.id = t.debit JOIN account c ON c.id = t.credit
WHERE t.at >= $1 AND t.at < $2 ORDER BY t.at, t.code, t.of, t.time, t.debit, t.credit;
