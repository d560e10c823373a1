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
       coalesce(sum(paid), 0)::numeric(38, 12)::text AS paid,
       coalesce(sum(due) FILTER (WHERE part = 'next'), 0)::numeric(38, 12)::text AS next, (count(*) FILTER (WHERE part = 'next'))::int AS "nextAccounts",
       coalesce(sum(due) FILTER (WHERE part = 'too little'), 0)::numeric(38, 12)::text AS "tooLittle",
       (count(*) FILTER (WHERE part = 'too little'))::int AS "tooLittleAccounts",
       coalesce(sum(due) FILTER (WHERE part = 'held'), 0)::numeric(38, 12)::text AS held, (count(*) FILTER (WHERE part = 'held'))::int AS "heldAccounts"
FROM (SELECT m.*, CASE WHEN m.due <= 0 THEN NULL WHEN a.held_why IS NOT NULL THEN 'held'
        WHEN m.due >= coalesce(a.minimum_payout, now_in_force.minimum, 0) THEN 'next' ELSE 'too little' END AS part
      FROM money m JOIN account a ON a.id = m.account_id
      LEFT JOIN (SELECT (rules ->> 'payouts.minimum')::numeric AS minimum FROM rules WHERE valid_from <= now() ORDER BY version DESC LIMIT 1)
        AS now_in_force ON true
      WHERE m.account_id > 0) AS of_accounts;

-- name: paidDays ($1: how many days). In UTC, today last.
WITH paid AS (
  SELECT (at AT TIME ZONE 'UTC')::date AS day, sum(CASE code WHEN 'paid' THEN amount ELSE -amount END) AS amount FROM transfer
  WHERE code IN ('paid', 'paid reversed') AND at >= date_trunc('day', now(), 'UTC') - ($1::int - 1) * interval '24 hours'
  GROUP BY 1)
SELECT day::text AS "day!", coalesce(amount, 0)::numeric(38, 12)::text AS paid
FROM generate_series(0, $1::int - 1) AS ago CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE 'UTC')::date - ago AS day) AS days
LEFT JOIN paid USING (day) ORDER BY day;

-- name: rigsOf ($1: account, $2: how many)
SELECT name AS rig, iso_of(last_at) AS "lastShareAt", best AS difficulty, iso_of(best_at) AS at FROM rig WHERE account_id = account_of($1)
ORDER BY last_at DESC NULLS LAST, name LIMIT $2;

-- name: bestOf ($1: account). One row, or none.
SELECT best AS difficulty, iso_of(best_at) AS at FROM rig WHERE account_id = account_of($1) AND best_at IS NOT NULL
ORDER BY best DESC LIMIT 1;

-- name: payoutOf ($1: account). One row, or none.
SELECT minimum_payout::text AS minimum, wished_chain AS "wishedChain", iso_of(wished_at) AS "wishedAt",
       held_why IS NOT NULL AS "isOnHold"
FROM account WHERE id = account_of($1);

-- name: beneficiariesOf ($1: account). Now.
SELECT a.name AS account, b.basis_points AS "basisPoints!" FROM beneficiaries_at(account_of($1), now()) AS b JOIN account a ON a.id = b.account_id;

-- name: paymentsOf ($1: account, $2: how many)
SELECT b.name AS payout, l.amount::text AS amount, l.state, l.chain_id AS "chainId", l.request_key AS "requestKey",
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

-- name: earnedDays ($1: account, $2: how many days). In UTC, today last; no row for who is not in the books.
WITH earned AS (
  SELECT (at AT TIME ZONE 'UTC')::date AS day, sum(amount) AS amount FROM (
    SELECT at, amount FROM transfer
    WHERE credit = account_of($1) AND credit > 0 AND code IN ('block', 'pps', 'divided', 'divided reversed')
      AND at >= date_trunc('day', now(), 'UTC') - ($2::int - 1) * interval '24 hours'
    UNION ALL
    SELECT at, -amount FROM transfer
    WHERE debit = account_of($1) AND debit > 0 AND code IN ('block reversed', 'divided', 'divided reversed')
      AND at >= date_trunc('day', now(), 'UTC') - ($2::int - 1) * interval '24 hours') AS side
  GROUP BY 1)
SELECT day::text AS "day!", coalesce(amount, 0)::numeric(38, 12)::text AS earned
FROM generate_series(0, $2::int - 1) AS ago CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE 'UTC')::date - ago AS day) AS days
LEFT JOIN earned USING (day)
WHERE account_of($1) IS NOT NULL ORDER BY day;

-- name: others ($1: those that are left out, $2: offset, $3: how many, $4: accounts of which something is expected, $5: what their names have)
-- Accounts that have money, also those that do not mine now. How many there are stands in each row; where the page has none, it is the
-- one row, without an account.
WITH owners AS (
  SELECT a.id AS account_id, a.name AS owner, m.due
  FROM account a LEFT JOIN money m ON m.account_id = a.id LEFT JOIN unnest($4::text[]) AS expected (name) ON expected.name = a.name
  WHERE a.id > 0 AND (m.due <> 0 OR m.paying <> 0 OR m.paid <> 0 OR expected.name IS NOT NULL)
    AND strpos(lower(a.name), lower($5)) > 0
), others AS MATERIALIZED (
  SELECT account_id, owner, due FROM owners LEFT JOIN unnest($1::text[]) AS left_out (name) ON name = owner WHERE name IS NULL
), page AS (
  SELECT account_id, owner, due FROM others ORDER BY due DESC NULLS LAST, owner COLLATE "C" OFFSET $2 LIMIT $3
)
SELECT (SELECT count(*)::int FROM others) AS total, page.owner AS account,
       m.due AS "due!", m.paying AS "paying!", m.paid AS "paid!"
FROM (SELECT) AS one LEFT JOIN page ON true CROSS JOIN LATERAL money_of(page.account_id) AS m
ORDER BY page.due DESC NULLS LAST, page.owner COLLATE "C";
