-- Lists of the ledger alone.

-- name: accounts ($1: how many, $2: offset, $3: accounts of which something is expected). By name; how many there are in all stands in each row.
WITH named AS MATERIALIZED (
  SELECT name AS account FROM account WHERE name > '' AND EXISTS (SELECT FROM rig WHERE rig.account_id = account.id)
  UNION SELECT a.name FROM balance b JOIN account a ON a.id = b.account_id WHERE a.id > 0
  UNION SELECT * FROM unnest($3::text[])
), page AS (
  SELECT account FROM named ORDER BY account OFFSET $2 LIMIT $1
)
SELECT (SELECT count(*)::int FROM named) AS total, n.account AS "account!", (SELECT count(*)::int FROM rig WHERE account_id = a.id) AS rigs,
       (SELECT coalesce(max(best), 0) FROM rig WHERE account_id = a.id) AS best, s.*,
       m.due AS "due!", m.paying AS "paying!", m.paid AS "paid!"
FROM page n JOIN account a ON a.key = account_key(n.account)
CROSS JOIN LATERAL (
  SELECT coalesce(sum(submits) FILTER (WHERE kind = 0), 0)::float8 AS shares,
         coalesce(sum(work) FILTER (WHERE kind = 0), 0)::text AS work,
         coalesce(sum(submits) FILTER (WHERE kind > 0), 0)::float8 AS rejected,
         coalesce(sum(work) FILTER (WHERE kind > 0), 0)::text AS "rejectedWork"
  -- From 100 on: rigs online.
  FROM account_work WHERE account_id = a.id AND kind < 100) s
CROSS JOIN LATERAL money_of(a.id) m ORDER BY n.account;

-- name: operator
-- What the operator has, and of each chain, with the other sign, what its blocks brought less what was paid on it.
SELECT CASE id WHEN 0 THEN 'operator' ELSE name END AS name, (CASE id WHEN 0 THEN amount ELSE -amount END)::numeric(38, 12)::text AS balance
FROM (SELECT 0 AS id, '' AS name, coalesce((SELECT amount FROM balance WHERE account_id = 0), 0) AS amount
      UNION ALL SELECT a.id, a.name, b.amount FROM balance b JOIN account a ON a.id = b.account_id WHERE a.id < 0) AS own
ORDER BY id DESC;
