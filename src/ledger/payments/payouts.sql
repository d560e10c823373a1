-- Payouts and their payments.

-- name: payouts ($1: how many, $2: of which number, $3: of which name; null for all). The latest first.
SELECT b.id, b.name, t.state AS "state!", b.chain_id AS "chainId", iso_of(b.prepared_at) AS "preparedAt!",
  iso_of(t.changed_at) AS "changedAt!", b.minimum, b.note, t.total AS "total!",
  (SELECT json_agg(json_build_object(
      'account', a.name, 'chainId', l.chain_id, 'amount', l.amount::text, 'state', l.state, 'requestKey', l.request_key, 'note', l.note,
      'changedAt', iso_of(l.changed_at)) ORDER BY a.name)
    FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = b.id) AS "lines!"
FROM payout b CROSS JOIN LATERAL payments_of(b.id) t
WHERE ($2::bigint IS NULL OR b.id = $2) AND ($3::text IS NULL OR b.name = $3) ORDER BY b.id DESC LIMIT $1;

-- name: prepared ($1: chain, or null). The payout that has payments that wait to be paid.
SELECT b.id FROM payout b
WHERE b.hash IS NULL AND b.chain_id IS NOT DISTINCT FROM $1::int AND EXISTS (SELECT FROM payout_line l WHERE l.payout_id = b.id AND l.state = 'prepared');


-- name: holder. Who pays on chain. He plans and builds nothing until the transaction ends.
SELECT holder, heard_at < now() - interval '30 seconds' AS "isSilent" FROM payer FOR UPDATE;

-- name: take ($1: number, or null, $2: name). Nobody else marks its payments until the transaction ends.
SELECT id, name, hash FROM payout WHERE id = $1::bigint OR name = $2 FOR UPDATE;

-- name: linesMeant ($1: payout, $2: accounts; null for all)
SELECT l.id, l.account_id AS "accountId", a.name AS account, l.amount, l.state, l.request_key AS "requestKey"
FROM payout_line l JOIN account a ON a.id = l.account_id
WHERE l.payout_id = $1 AND ($2::text[] IS NULL OR a.name = ANY ($2)) ORDER BY l.id FOR UPDATE OF l;

-- name: hasKey ($1: request key)
SELECT EXISTS (SELECT FROM payout_line WHERE request_key = $1) OR EXISTS (SELECT FROM chain_transaction WHERE request_key = $1) AS has;

-- name: writeKey ($1: payment, $2: request key)
UPDATE payout_line SET request_key = $2 WHERE id = $1;

-- name: markLines ($1: payments, $2: state, $3: whether there is a note for each, $4: that)
UPDATE payout_line SET state = $2, changed_at = now(), note = CASE WHEN $3 THEN $4 ELSE note END WHERE id = ANY ($1::bigint[]);

-- name: writeNote ($1: payout, $2: note)
UPDATE payout SET note = $2 WHERE id = $1;

-- name: due ($1: minimum of accounts that have none of their own, $2: chain, or null, $3: how many). Not those that wish to be paid on another chain.
SELECT a.id, coalesce($2::int, a.wished_chain) AS "chainId", m.due AS "amount!" FROM money m JOIN account a ON a.id = m.account_id
WHERE a.id > 0 AND a.held_why IS NULL AND m.due >= coalesce(a.minimum_payout, $1)
  AND ($2::int IS NULL OR a.wished_chain IS NULL OR a.wished_chain = $2) ORDER BY a.name LIMIT $3;

-- name: insertPayout ($1: name, null for a new one, $2: minimum, $3: chain, $4: who prepares it)
WITH next AS (SELECT nextval(pg_get_serial_sequence('payout', 'id')) AS id)
INSERT INTO payout (id, name, minimum, chain_id, prepared_by) OVERRIDING SYSTEM VALUE
  SELECT next.id, coalesce($1, generation || '-' || next.id), $2, $3, $4 FROM next, ledger
RETURNING id;

-- name: insertLines ($1: payout, $2: chains, null for any, $3: state, $4: note, $5: accounts, $6: amounts, $7: request key of the one, or null)
INSERT INTO payout_line (payout_id, account_id, chain_id, amount, state, note, request_key)
  SELECT $1, l.account_id, l.chain_id, l.amount, $3, $4, $7 FROM unnest($2::int[], $5::int[], $6::numeric[]) AS l (chain_id, account_id, amount) RETURNING id;

-- name: correction ($1: who makes it, $2: why)
INSERT INTO correction (made_by, note) VALUES ($1, $2) RETURNING id;

-- name: unfit ($1: payout). Of what is still to be paid one that is not to be, or none: its account is on hold, or has not all that its open payments claim.
SELECT a.name AS account, a.held_why IS NOT NULL AS "isHeld" FROM payout_line n JOIN account a ON a.id = n.account_id JOIN balance b ON b.account_id = a.id
WHERE n.payout_id = $1 AND n.state = 'prepared' AND (a.held_why IS NOT NULL
  OR b.amount < (SELECT sum(c.amount) FROM payout_line c WHERE c.account_id = a.id AND c.state IN ('prepared', 'unknown'))) ORDER BY a.name LIMIT 1;

-- name: dueOf ($1: account)
SELECT due::numeric(38, 12)::text AS "due!" FROM money WHERE account_id = $1;

-- name: facts ($1: payout, $2: payments; null for all). For the timeline.
SELECT minimum::text AS minimum, name, accounts, total FROM payout, LATERAL (
  SELECT count(*)::int AS accounts, coalesce(sum(amount), 0)::text AS total FROM payout_line
  WHERE payout_id = $1 AND ($2::bigint[] IS NULL OR payout_line.id = ANY ($2))) lines
WHERE payout.id = $1;
