-- What the books have of an account, as views have it.

-- name: account ($1: account). Always one row.
SELECT (SELECT count(*)::int FROM rig WHERE account_id = account_of($1)) AS rigs, m.is_known AS "isKnown!",
       m.due AS "due!", m.paying AS "paying!", m.paid AS "paid!"
FROM money_of(account_of($1)) AS m;

-- name: expected. What blocks would bring that are not split yet, of each account.
SELECT a.name AS account, e.amount::text AS "amount!" FROM expected_of(NULL) AS e JOIN account a ON a.id = e.account_id;

-- name: moneyOf ($1: accounts)
SELECT a.name AS account, m.due AS "due!", m.paying AS "paying!", m.paid AS "paid!"
FROM account a, money_of(a.id) AS m
WHERE a.key = ANY (ARRAY (SELECT account_key(u) FROM unnest($1::text[]) AS u));

-- name: allMoney. Always one row.
SELECT coalesce(sum(due), 0)::numeric(38, 12)::text AS due, coalesce(sum(paying), 0)::numeric(38, 12)::text AS paying,
       coalesce(sum(paid), 0)::numeric(38, 12)::text AS paid
FROM money WHERE account_id > 0;

-- name: rigsOf ($1: account, $2: how many)
SELECT name AS rig, iso_of(last_at) AS "lastShareAt", best AS difficulty, iso_of(best_at) AS at FROM rig WHERE account_id = account_of($1)
ORDER BY last_at DESC NULLS LAST, name LIMIT $2;

-- name: bestOf ($1: account). One row, or none.
SELECT best AS difficulty, iso_of(best_at) AS at FROM rig WHERE account_id = account_of($1) AND best_at IS NOT NULL
ORDER BY best DESC LIMIT 1;

-- name: payoutOf ($1: account). One row, or none.
SELECT minimum_payout::text AS minimum, wished_chain AS "wishedChain", iso_of(wished_at) AS "wishedAt" FROM account WHERE id = account_of($1);

-- name: paymentsOf ($1: account, $2: how many)
SELECT b.id AS payout, l.amount::text AS amount, l.state, l.chain_id AS "chainId", l.request_key AS "requestKey",
       iso_of(b.prepared_at) AS "preparedAt!", iso_of(l.changed_at) AS "changedAt!", coalesce(nullif(l.note, ''), b.note) AS note
FROM payout_line l JOIN payout b ON b.id = l.payout_id
WHERE l.account_id = account_of($1) ORDER BY l.payout_id DESC LIMIT $2;

-- name: recentPay ($1: how many blocks, $2: account). One row, or none. The fee is its own, or that of the latest block that was weighed.
SELECT avg(reward)::numeric(38, 12)::text AS "reward!", count(*)::int AS blocks,
       coalesce((SELECT basis_points FROM account_fee WHERE account_id = account_of($2) AND valid_from <= now()
                 ORDER BY valid_from DESC LIMIT 1),
         (array_agg(fee_basis_points ORDER BY id DESC) FILTER (WHERE weighed_at IS NOT NULL))[1], 0) AS "feeBasisPoints"
FROM (SELECT id, reward + fees AS reward, fee_basis_points, weighed_at FROM block
      WHERE reward IS NOT NULL AND state = 'confirmed' ORDER BY id DESC LIMIT $1) AS last
HAVING count(*) > 0;

-- name: others ($1: those that are left out, $2: offset, $3: how many, $4: accounts of which something is expected)
-- Accounts that have money, also those that do not mine now. How many there are stands in each row; where the page has none, it is the
-- one row, without an account.
WITH owners AS (
  SELECT a.id AS account_id, a.name AS owner, m.due
  FROM account a LEFT JOIN money m ON m.account_id = a.id LEFT JOIN unnest($4::text[]) AS expected (name) ON expected.name = a.name
  WHERE a.id > 0 AND (m.due <> 0 OR m.paying <> 0 OR m.paid <> 0 OR expected.name IS NOT NULL)
), others AS MATERIALIZED (
  SELECT account_id, owner, due FROM owners LEFT JOIN unnest($1::text[]) AS left_out (name) ON name = owner WHERE name IS NULL
), page AS (
  SELECT account_id, owner, due FROM others ORDER BY due DESC NULLS LAST, owner COLLATE "C" OFFSET $2 LIMIT $3
)
SELECT (SELECT count(*)::int FROM others) AS total, page.owner AS account,
       m.due AS "due!", m.paying AS "paying!", m.paid AS "paid!"
FROM (SELECT) AS one LEFT JOIN page ON true CROSS JOIN LATERAL money_of(page.account_id) AS m
ORDER BY page.due DESC NULLS LAST, page.owner COLLATE "C";
