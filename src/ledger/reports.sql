-- What `stratum-bridge ledger` shows. best: the highest difficulty that a hash of its shares ever met; rejected: submits that were no
-- shares, with the work that they would have been credited. Sums are as far as they are kept (`ledger.retention.accounts`).

-- name: accounts ($1: how many, $2: after which name). By name.
WITH named AS (
  SELECT name AS account FROM account WHERE name > $2 AND EXISTS (SELECT FROM rig WHERE rig.account_id = account.id)
  UNION SELECT a.name FROM money m JOIN account a ON a.id = m.account_id WHERE a.name > $2 ORDER BY 1 LIMIT $1
)
SELECT n.account, (SELECT count(*)::int FROM rig WHERE account_id = a.id) AS rigs,
       (SELECT coalesce(max(best), 0) FROM rig WHERE account_id = a.id) AS best, s.*,
       m.balance AS "balance!", m.held AS "held!", m.paying AS "paying!", m.paid AS "paid!"
FROM named n JOIN account a ON a.key = account_key(n.account)
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

-- name: blocks ($1: how many). Solutions, the latest first, with what became of each.
SELECT s.id AS "solutionId", s.chain_id AS "chainId", s.height::float8 AS height, coalesce(encode(b.hash, 'hex'), '') AS hash, s.account,
       s.rig, s.node, iso_of(s.found_at) AS "foundAt!", s.state AS solution, s.detail, b.state, b.depth, b.reward + b.fees AS reward,
       b.reward_source AS "rewardSource", b.scheme,
       (SELECT bridge_in_words(p.place, p.id) FROM producer p
        WHERE b.weighed_at IS NULL AND NOT p.ended AND p.watermark < b.slot + interval '10 seconds' ORDER BY p.watermark LIMIT 1) AS "waitsFor"
FROM solution s LEFT JOIN block b ON b.solution_id = s.id ORDER BY s.id DESC LIMIT $1;
