-- Lists of the ledger alone.

-- name: accounts ($1: how many, $2: offset). By name; how many there are in all stands in each row.
WITH named AS MATERIALIZED (
  SELECT name AS account FROM account WHERE name > '' AND EXISTS (SELECT FROM rig WHERE rig.account_id = account.id)
  UNION SELECT a.name FROM money m JOIN account a ON a.id = m.account_id WHERE a.name > ''
), page AS (
  SELECT account FROM named ORDER BY account OFFSET $2 LIMIT $1
)
SELECT (SELECT count(*)::int FROM named) AS total, n.account, (SELECT count(*)::int FROM rig WHERE account_id = a.id) AS rigs,
       (SELECT coalesce(max(best), 0) FROM rig WHERE account_id = a.id) AS best, s.*,
       m.held AS "held!", m.balance AS "balance!", m.paying AS "paying!", m.paid AS "paid!"
FROM page n JOIN account a ON a.key = account_key(n.account)
CROSS JOIN LATERAL (
  SELECT coalesce(sum(submits) FILTER (WHERE kind = 0), 0)::float8 AS shares,
         coalesce(sum(work) FILTER (WHERE kind = 0), 0)::text AS work,
         coalesce(sum(submits) FILTER (WHERE kind > 0), 0)::float8 AS rejected,
         coalesce(sum(work) FILTER (WHERE kind > 0), 0)::text AS "rejectedWork"
  -- From 100 on: rigs online.
  FROM account_minute WHERE account_id = a.id AND kind < 100) s
CROSS JOIN LATERAL money_of(a.id) m ORDER BY n.account;

-- name: operator. Always one row.
SELECT coalesce(sum(amount) FILTER (WHERE book = 'held'), 0)::numeric(38, 12)::text AS held,
       coalesce(sum(amount) FILTER (WHERE book = 'balance'), 0)::numeric(38, 12)::text AS balance,
       coalesce(sum(amount) FILTER (WHERE book = 'pps'), 0)::numeric(38, 12)::text AS pps,
       coalesce(sum(amount) FILTER (WHERE book = 'rewards'), 0)::numeric(38, 12)::text AS rewards
FROM money WHERE account_id = 0;
