-- What the payer writes and asks. Whatever it writes has checked its fence first, in the same transaction.

-- name: lead ($1: number of the lock). One of all bridges.
SELECT pg_try_advisory_lock($1::bigint) AS "leads!";

-- name: leave ($1: number of the lock)
SELECT pg_advisory_unlock($1::bigint);

-- name: raiseFence ($1: place). Whoever had the seat before is refused from now on.
UPDATE payer SET fence = fence + 1, place = $1, heard_at = now() RETURNING fence::text AS fence;

-- name: hasFence ($1: fence). Holds off the next one, and who pauses, until the transaction ends.
SELECT fence = $1::bigint AS "has!", paused_at IS NOT NULL AS "isPaused" FROM payer FOR SHARE;

-- name: state. What was found on the chain is no batch that somebody looked at: it has no content hash.
SELECT l.id AS "ledgerId", p.account, p.network, p.pause_kind AS "pauseKind", pause_words(p.pause_says, p.pause_evidence) AS "pauseSays", p.pause_by AS "pauseBy",
       p.pause_evidence AS "pauseEvidence", ms_of(p.paused_at) AS "pausedAtMs", ms_of(p.ran_at) AS "ranAtMs", ms_of(p.next_at) AS "nextAtMs",
       p.why_not AS "whyNot", coalesce(p.batch_asked_at > coalesce(p.ran_at, '-infinity'), false) AS "isAsked", p.place, ms_of(p.heard_at) AS "heardAtMs", ms_of(now()) AS "nowMs",
       (SELECT count(*)::int FROM payout WHERE paid_by = 'chain' AND closed_at IS NOT NULL AND rejected_at IS NULL AND content_hash IS NOT NULL) AS batches
FROM payer p, ledger l;

-- name: ledgerIds. Of these books, and of before they were restored.
SELECT id FROM ledger UNION SELECT id FROM former_ledger;

-- name: born. Of each chain, the head when its first transaction was built, and the longest that one of them lives.
SELECT chain_id AS "chainId", min(birth_height)::float8 AS height, max(ttl) AS "ttlS" FROM transaction GROUP BY 1;

-- name: reconcileOrder. That nobody has done yet.
SELECT reconcile_since::float8 AS "sinceHeight", reconcile_applies AS applies FROM payer
WHERE reconcile_asked_at > coalesce(reconciled_at, '-infinity');

-- name: reconciled ($1: what came of it)
UPDATE payer SET reconciled_at = now(), reconciled = $1;

-- name: sameLine ($1: payment, $2: account, $3: chain, $4: amount). The line that a found transaction pays, if it is still to be paid.
SELECT l.id, l.account_id AS "accountId", l.payout_id AS "payoutId" FROM payment l JOIN account a ON a.id = l.account_id
WHERE l.id = $1::bigint AND a.name = $2 AND l.chain_id = $3 AND l.amount = $4 AND l.state = 'prepared'
  AND NOT EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.state NOT IN ('refused', 'expired', 'dropped')) FOR UPDATE OF l;

-- name: earlierAttempt ($1: payment, $2: account, $3: chain, $4: amount, $5: attempt). Of the line that a found transaction pays, while it may still come.
SELECT t.id FROM payment l JOIN account a ON a.id = l.account_id JOIN transaction t ON t.payment_id = l.id
WHERE l.id = $1::bigint AND a.name = $2 AND l.chain_id = $3 AND l.amount = $4 AND t.attempt < $5
  AND t.state IN ('built', 'signed', 'sent', 'included', 'unknown');

-- name: bury ($1: payments, $2: attempts). Their next one has a number of its own. No row of a payment that is not in these books.
UPDATE payment l SET former_attempts = greatest(l.former_attempts, f.attempt) FROM (
  SELECT id, max(attempt) AS attempt FROM unnest($1::bigint[], $2::int[]) AS u (id, attempt) GROUP BY id) f WHERE l.id = f.id RETURNING l.id;

-- name: addLine ($1: payout, $2: account, $3: chain, $4: amount, $5: state, $6: note)
INSERT INTO payment (payout_id, account_id, part, chain_id, amount, state, note)
  SELECT $1, $2, coalesce((SELECT max(part) + 1 FROM payment WHERE payout_id = $1 AND account_id = $2), 1), $3, $4, $5, $6
RETURNING id;

-- name: enterFound ($1: payment, $2: attempt, $3: chain, $4: cmd, $5: request key, $6: creation time, $7: ttl, $8: gas limit, $9: gas price,
-- $10: height of the parent, $11: its hash, $12: state, $13: height, $14: hash, $15: gas paid, $16: whose gas it is)
INSERT INTO transaction (payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl, gas_limit, gas_price, birth_height, birth_hash,
  state, block_height, block_hash, gas_paid, gas_of, asked_at, sent_at, why)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, now(), now(), 'found on the chain')
RETURNING id;

-- name: closeFound ($1: payout)
UPDATE payout SET paid_by = 'chain', closed_at = now(), note = 'found on the chain' WHERE id = $1;

-- name: chains
SELECT chain_id AS "chainId", height::float8 AS height, hash, balance, credits, debits, compared_height::float8 AS "comparedHeight", head_height::float8 AS "headHeight",
       ms_of(head_at) AS "headAtMs", trouble, ms_of(looked_at) AS "lookedAtMs"
FROM payer_chain ORDER BY chain_id;

-- name: bind ($1: account, $2: network, $3: whether others sign)
UPDATE payer SET account = $1, network = $2, signs_elsewhere = $3 WHERE account IS NULL OR (account = $1 AND network = $2);

-- name: dueOnChain ($1: minimum of accounts that have none of their own, $2: how many). Who waits longest first.
SELECT a.name AS account, b.amount, coalesce(a.minimum_payout, $1::numeric) AS "minimum!", a.wished_chain AS "wishedChain",
       ms_of(paid.at) AS "paidAtMs"
FROM balance b JOIN account a ON a.id = b.account_id
LEFT JOIN LATERAL (SELECT max(l.changed_at) AS at FROM payment l WHERE l.account_id = a.id AND l.state = 'confirmed') paid ON true
WHERE b.book = 'balance' AND a.id <> 0 AND b.amount >= coalesce(a.minimum_payout, $1::numeric)
  AND NOT EXISTS (
    SELECT FROM payout_hold h WHERE h.account_id = a.id AND h.allowed_at IS NULL AND (h.until IS NULL OR h.until > now())
      AND (h.chain_id IS NULL OR h.chain_id = a.wished_chain OR a.wished_chain IS NULL))
ORDER BY paid.at NULLS FIRST, a.name LIMIT $2;

-- name: heldDue ($1: minimum of accounts that have none of their own, $2: how many). Who would be due, and is held: as it is left out above.
SELECT DISTINCT ON (a.name) a.name AS account, b.amount, h.chain_id AS "chainId", h.note, ms_of(h.until) AS "untilMs"
FROM balance b JOIN account a ON a.id = b.account_id
JOIN payout_hold h ON h.account_id = a.id AND h.allowed_at IS NULL AND (h.until IS NULL OR h.until > now())
  AND (h.chain_id IS NULL OR h.chain_id = a.wished_chain OR a.wished_chain IS NULL)
WHERE b.book = 'balance' AND a.id <> 0 AND b.amount >= coalesce(a.minimum_payout, $1::numeric)
ORDER BY a.name, h.id LIMIT $2;

-- name: bespoken. Lines of batches that have no transaction yet, and take of their chains when they get one.
SELECT l.chain_id AS "chainId", b.approved AS "isApproved", count(*)::int AS lines, sum(l.amount)::numeric(38, 12) AS amount
FROM (SELECT id, approvals_needed <= (SELECT count(*) FROM payout_approval p WHERE p.payout_id = o.id AND p.content_hash = o.content_hash) AS approved
      FROM payout o WHERE paid_by = 'chain' AND closed_at IS NULL AND rejected_at IS NULL) b
JOIN payment l ON l.payout_id = b.id WHERE l.state = 'prepared' AND l.chain_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.state NOT IN ('refused', 'expired', 'dropped'))
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: spent
-- What is prepared and not sent yet will be: it counts from now on.
SELECT coalesce((SELECT sum(amount) FROM payment WHERE id IN (
         SELECT payment_id FROM transaction WHERE sent_at > now() - interval '1 day'
         UNION SELECT l.id FROM payment l JOIN payout b ON b.id = l.payout_id WHERE b.paid_by = 'chain' AND l.state IN ('prepared', 'sent', 'unknown'))), 0)
         AS "lastDay",
       ARRAY (SELECT sum(l.amount)::text FROM payout b JOIN payment l ON l.payout_id = b.id
              WHERE b.paid_by = 'chain' AND b.closed_at IS NOT NULL AND b.rejected_at IS NULL AND b.content_hash IS NOT NULL
              GROUP BY b.id ORDER BY b.id DESC LIMIT 10) AS "formerBatches";

-- name: lockMoney
SELECT pg_advisory_xact_lock(money_lock());

-- name: waiting. A batch that nobody has approved or rejected yet.
SELECT b.name FROM payout b WHERE b.paid_by = 'chain' AND b.closed_at IS NULL AND b.rejected_at IS NULL AND b.approvals_needed > (
  SELECT count(*) FROM payout_approval a WHERE a.payout_id = b.id AND a.content_hash = b.content_hash) LIMIT 1;

-- name: balances ($1: names)
SELECT a.name, a.id, b.amount FROM account a JOIN balance b ON b.account_id = a.id AND b.book = 'balance'
WHERE a.key = ANY (ARRAY (SELECT account_key(u) FROM unnest($1::text[]) AS u));

-- name: makeChainBatch ($1: payout, $2: content hash, $3: why somebody has to approve it, or null, $4: how many have to)
UPDATE payout SET paid_by = 'chain', content_hash = $2, approval_for = $3, approvals_needed = $4 WHERE id = $1;

-- name: insertParts ($1: payout, $2: accounts, $3: parts, $4: chains, $5: amounts)
INSERT INTO payment (payout_id, account_id, part, chain_id, amount)
  SELECT $1, l.account_id, l.part, l.chain_id, l.amount
  FROM unnest($2::int[], $3::int[], $4::int[], $5::numeric[]) AS l (account_id, part, chain_id, amount);

-- name: open ($1: how many)
SELECT l.id, b.name AS payout, a.name AS account, l.chain_id AS "chainId", l.amount,
       1 + greatest(l.former_attempts, (SELECT max(t.attempt) FROM transaction t WHERE t.payment_id = l.id)) AS attempt
FROM payment l JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
WHERE b.paid_by = 'chain' AND b.closed_at IS NULL AND b.rejected_at IS NULL AND l.state = 'prepared' AND l.chain_id IS NOT NULL
  AND b.approvals_needed <= (SELECT count(*) FROM payout_approval p WHERE p.payout_id = b.id AND p.content_hash = b.content_hash)
  AND NOT EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.state NOT IN ('refused', 'expired', 'dropped'))
ORDER BY l.id LIMIT $1;

-- name: live ($1: after which chain, $2: and transaction, $3: how many). Without their texts, which never change and are read once.
SELECT t.id, t.payment_id AS "paymentId", t.attempt, t.chain_id AS "chainId", t.request_key AS "requestKey",
       t.creation_time::float8 AS "creationTimeS", t.ttl AS "ttlS", t.gas_limit AS "gasLimit", t.gas_price AS "gasPrice",
       t.birth_height::float8 AS "birthHeight", t.birth_hash AS "birthHash", t.sigs, t.partial_sigs AS partial, t.state, t.block_height::float8 AS "blockHeight",
       t.block_hash AS "blockHash", t.asked_at IS NOT NULL AS "isAsked", ARRAY (
         SELECT d.request_key FROM transaction d WHERE d.payment_id = t.payment_id AND d.attempt < t.attempt ORDER BY d.attempt) AS "deadKeys", ms_of(t.sent_at) AS "sentAtMs", b.name AS payout, a.name AS account, l.amount,
       b.rejected_at IS NOT NULL AS "isRejected", t.attempt <= l.former_attempts AS "isOfFormer"
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
WHERE t.followed AND (t.chain_id, t.id) > ($1::int, $2::bigint) ORDER BY t.chain_id, t.id LIMIT $3;

-- name: commands ($1: transactions)
SELECT id, cmd FROM transaction WHERE id = ANY ($1::bigint[]);

-- name: build ($1: transactions, as a JSON list). Of a line that was rejected or held meanwhile there is none.
INSERT INTO transaction (payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl, gas_limit, gas_price, birth_height, birth_hash)
  SELECT t.* FROM jsonb_to_recordset($1::jsonb) AS t (
    "paymentId" bigint, attempt integer, "chainId" integer, cmd text, "requestKey" text, "creationTimeS" bigint, "ttlS" integer,
    "gasLimit" integer, "gasPrice" numeric, "birthHeight" bigint, "birthHash" text)
  JOIN payment l ON l.id = t."paymentId" WHERE l.state = 'prepared'
RETURNING id, payment_id AS "paymentId";

-- name: asking ($1: transactions)
UPDATE transaction t SET asked_at = coalesce(t.asked_at, now()) FROM payment l JOIN payout b ON b.id = l.payout_id
WHERE t.id = ANY ($1::bigint[]) AND t.state = 'built' AND l.id = t.payment_id AND b.rejected_at IS NULL;

-- name: keepSignatures ($1: transactions, $2: signatures of each as a JSON list)
UPDATE transaction t SET sigs = s.sigs, partial_sigs = NULL, state = 'signed', changed_at = now()
FROM unnest($1::bigint[], $2::jsonb[]) AS s (id, sigs) WHERE t.id = s.id AND t.state = 'built';

-- name: keepPartial ($1: transactions, $2: signatures of each as a JSON list). Those of other keys stay: two may come at a time.
UPDATE transaction t SET changed_at = now(), partial_sigs = s.sigs || coalesce((
  SELECT jsonb_agg(o) FROM jsonb_array_elements(t.partial_sigs) o
  WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(s.sigs) n WHERE n->>'pubKey' = o->>'pubKey')), '[]')
FROM unnest($1::bigint[], $2::jsonb[]) AS s (id, sigs) WHERE t.id = s.id AND t.state = 'built';

-- name: sending ($1: transactions). Not those of a batch that was rejected meanwhile.
UPDATE transaction t SET state = 'sent', sent_at = coalesce(t.sent_at, now()), changed_at = now() FROM payment l JOIN payout b ON b.id = l.payout_id
WHERE t.id = ANY ($1::bigint[]) AND t.state = 'signed' AND l.id = t.payment_id AND b.rejected_at IS NULL RETURNING t.payment_id AS "paymentId", t.id;

-- name: markSent ($1: payments)
UPDATE payment l SET state = 'sent', changed_at = now(), request_key = t.request_key
FROM transaction t WHERE l.id = ANY ($1::bigint[]) AND t.payment_id = l.id AND t.state = 'sent';

-- name: take ($1: transactions). Nobody else moves them until the transaction ends.
SELECT t.id, (SELECT count(*)::int FROM transaction o WHERE o.payment_id = t.payment_id) AS attempts, t.state, t.returns, t.revivals, t.payment_id AS "paymentId", t.gas_paid AS "gasPaid", t.gas_of AS "gasOf", l.account_id AS "accountId", l.amount, l.payout_id AS "payoutId",
       l.state AS "paymentState", l.chain_id AS "chainId", (SELECT a.name FROM account a WHERE a.id = l.account_id) AS "account!",
       (SELECT b.rejected_at IS NOT NULL FROM payout b WHERE b.id = l.payout_id) AS "isRejected!"
FROM transaction t JOIN payment l ON l.id = t.payment_id WHERE t.id = ANY ($1::bigint[])
ORDER BY t.id FOR UPDATE OF t, l;

-- name: settle ($1: transactions, and of each $2: state, $3: block height, $4: block hash, $5: gas paid, $6: why, $7: returns more, $8: revivals more, $9: whose gas it is). What is final stays where it is.
UPDATE transaction t SET state = f.state, block_height = CASE WHEN f.state = 'final' THEN t.block_height ELSE f.height END,
  block_hash = CASE WHEN f.state = 'final' THEN t.block_hash ELSE f.hash END, gas_paid = CASE WHEN f.state = 'final' THEN t.gas_paid ELSE f.gas END,
  gas_of = CASE WHEN f.state = 'final' THEN t.gas_of ELSE f.gas_of END,
  why = f.why, returns = t.returns + f.returns, revivals = t.revivals + f.revivals, changed_at = now(), followed = f.state NOT IN ('final', 'expired', 'dropped')
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::numeric[], $6::text[], $7::int[], $8::int[], $9::int[])
  AS f (id, state, height, hash, gas, why, returns, revivals, gas_of)
WHERE t.id = f.id;

-- name: followNoMore ($1: transactions)
UPDATE transaction SET followed = false WHERE id = ANY ($1::bigint[]) AND state = 'refused';

-- name: setPayments ($1: payments, and of each $2: state, $3: note). Without a request key it is ready for another attempt.
UPDATE payment l SET state = f.state, note = f.note, changed_at = now(), request_key = CASE WHEN f.state = 'prepared' THEN NULL ELSE l.request_key END
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS f (id, state, note) WHERE l.id = f.id;

-- name: tellEvents ($1: payments, $2: transactions, $3: by whom, $4: former states, $5: states, $6: evidence of each)
INSERT INTO payment_event (payment_id, transaction_id, happened_by, was, now, evidence)
  SELECT e.payment, e.transaction, $3, e.was, e.now, e.evidence
  FROM unnest($1::bigint[], $2::bigint[], $4::text[], $5::text[], $6::jsonb[]) AS e (payment, transaction, was, now, evidence);

-- name: moveOnce ($1: names of moves). No row of one that was made before.
INSERT INTO money_move (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING key;

-- name: reopen ($1: payouts)
UPDATE payout SET closed_at = NULL WHERE id = ANY ($1::bigint[]);

-- name: dropUnsigned ($1: payment). What was never signed, nobody has.
UPDATE transaction SET state = 'dropped', followed = false, why = 'its line is held', changed_at = now()
WHERE payment_id = $1 AND state = 'built' AND asked_at IS NULL;

-- name: holdAccount ($1: account, $2: chain, null for all, $3: until, null for ever, $4: note, $5: by whom)
INSERT INTO payout_hold (account_id, chain_id, until, note, held_by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, coalesce(chain_id, -1)) WHERE allowed_at IS NULL
DO UPDATE SET until = excluded.until, note = excluded.note, held_by = excluded.held_by;

-- name: takePayments ($1: payments). isAsked: somebody may have signed for it.
SELECT l.id, l.state, EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.asked_at IS NOT NULL
         AND t.state NOT IN ('refused', 'expired', 'dropped')) AS "isAsked", l.account_id AS "accountId", l.amount, l.payout_id AS "payoutId", l.chain_id AS "chainId", (SELECT a.name FROM account a WHERE a.id = l.account_id) AS "account!" FROM payment l
WHERE l.id = ANY ($1::bigint[]) ORDER BY l.id FOR UPDATE;

-- name: closeBatches. Those whose lines have all had their last word: none is open, and no transaction of them is followed.
UPDATE payout b SET closed_at = now() WHERE b.paid_by = 'chain' AND b.closed_at IS NULL
  AND NOT EXISTS (SELECT FROM payment l WHERE l.payout_id = b.id AND l.state IN ('prepared', 'sent', 'unknown'))
  AND NOT EXISTS (SELECT FROM payment l JOIN transaction t ON t.payment_id = l.id WHERE l.payout_id = b.id
    AND t.state IN ('built', 'signed', 'sent', 'included', 'unknown'))
RETURNING b.id;

-- name: settledFacts ($1: payout). Of one that paid something, or tried to.
SELECT b.name, count(DISTINCT l.account_id) FILTER (WHERE l.state = 'confirmed')::int AS accounts,
       coalesce(sum(l.amount) FILTER (WHERE l.state = 'confirmed'), 0)::numeric(38, 12)::text AS total,
       coalesce(sum((SELECT sum(t.gas_paid) FROM transaction t WHERE t.payment_id = l.id)), 0)::numeric(38, 12)::text AS gas,
       count(*) FILTER (WHERE l.state = 'held')::int AS held, b.rejected_at IS NOT NULL AS "isRejected"
FROM payout b JOIN payment l ON l.payout_id = b.id WHERE b.id = $1 GROUP BY b.id;

-- name: pause ($1: kind, $2: says, $3: by whom, $4: evidence)
UPDATE payer SET paused_at = now(), pause_kind = $1, pause_says = $2, pause_by = $3, pause_evidence = $4 WHERE paused_at IS NULL;

-- name: pauseBesides ($1: kind, $2: says, $3: by whom, $4: evidence, $5: whether one of the same kind that says something else is another reason,
-- $6: how many at most). What is found while it is paused stands behind the first reason: it may be seen this once alone.
UPDATE payer SET pause_evidence = jsonb_set(pause_evidence, '{besides}', more || jsonb_build_array(
  jsonb_build_object('kind', $1::text, 'says', $2::text, 'by', $3::text, 'evidence', $4::jsonb)))
FROM (SELECT coalesce(pause_evidence->'besides', '[]') AS more FROM payer) former
WHERE paused_at IS NOT NULL AND NOT (pause_kind = $1 AND (NOT $5::boolean OR pause_says = $2))
  AND NOT EXISTS (SELECT FROM jsonb_array_elements(more) m WHERE m->>'kind' = $1 AND (NOT $5 OR m->>'says' = $2)) AND jsonb_array_length(more) < $6;

-- name: forgetKnown. Debits that were none of these books when they were found, and are now.
UPDATE payer SET pause_evidence = jsonb_set(pause_evidence, '{besides}', (
  SELECT coalesce(jsonb_agg(m), '[]') FROM jsonb_array_elements(pause_evidence->'besides') m
  WHERE NOT EXISTS (SELECT FROM transaction t WHERE t.request_key = m->'evidence'->>'requestKey' AND m->>'kind' = 'foreign-debit'
    AND t.state NOT IN ('expired', 'dropped'))))
WHERE pause_evidence ? 'besides';

-- name: sawChains ($1: chains, as a JSON list)
INSERT INTO payer_chain AS c (chain_id, height, hash, balance, credits, debits, first_height, first_balance, compared_height, head_height, head_at, trouble,
  missing, doubt)
  SELECT "chainId", height, hash, balance, credits, debits, height, balance,
    CASE WHEN (SELECT pause_kind = 'restored' FROM payer) THEN coalesce((SELECT min(t.birth_height) FROM transaction t WHERE t.chain_id = s."chainId"), 0)
         ELSE height END, "headHeight", to_timestamp("headTimeS"), trouble, missing, doubt
  FROM jsonb_to_recordset($1::jsonb) AS s (
    "chainId" integer, height bigint, hash text, balance numeric, credits numeric, debits numeric, "headHeight" bigint, "headTimeS" float8,
    trouble text, missing numeric, doubt text)
ON CONFLICT (chain_id) DO UPDATE SET height = excluded.height, hash = excluded.hash, balance = excluded.balance, credits = excluded.credits,
  debits = excluded.debits,
  -- Nothing came since reading began: it may as well have begun here. So it is where it begins anew.
  first_height = CASE WHEN excluded.credits = 0 AND excluded.debits = 0 THEN excluded.height ELSE c.first_height END,
  first_balance = CASE WHEN excluded.credits = 0 AND excluded.debits = 0 THEN excluded.balance ELSE c.first_balance END,
  head_height = excluded.head_height, head_at = excluded.head_at, trouble = excluded.trouble, missing = excluded.missing, doubt = excluded.doubt,
  looked_at = now(),
  compared_height = CASE WHEN (SELECT pause_kind = 'restored' FROM payer) THEN c.compared_height ELSE excluded.height END;

-- name: sawTrouble ($1: chain, $2: head's height, $3: head's time, seconds, $4: trouble)
UPDATE payer_chain SET head_height = coalesce($2, head_height), head_at = coalesce(to_timestamp($3::float8), head_at), trouble = $4, looked_at = now()
WHERE chain_id = $1;

-- name: ran ($1: whether it ran, $2: next time, ms, or null, $3: why not)
UPDATE payer SET ran_at = CASE WHEN $1 THEN now() ELSE ran_at END, next_at = at_ms($2::float8), why_not = $3, heard_at = now();

-- name: known ($1: request keys)
SELECT request_key AS "requestKey" FROM transaction WHERE request_key = ANY ($1::text[]);

-- name: expected ($1: names of debits). Of transactions, and accepted. One that was shown to be dead takes nothing: another attempt has paid its line.
SELECT request_key AS name FROM transaction WHERE request_key = ANY ($1::text[]) AND state NOT IN ('expired', 'dropped')
UNION SELECT name FROM accepted_debit WHERE name = ANY ($1::text[]);

-- name: acceptDebits ($1: debits with their names, as a JSON list, $2: by whom, $3: note). No row of what was accepted before.
INSERT INTO accepted_debit (name, chain_id, height, account, amount, accepted_by, note)
  SELECT name, "chainId", height, account, amount, $2, $3 FROM jsonb_to_recordset($1::jsonb) AS d (
    name text, "chainId" integer, height bigint, account text, amount numeric)
ON CONFLICT DO NOTHING RETURNING name;

-- name: forgetDebits ($1: how many are kept)
DELETE FROM accepted_debit WHERE id <= (SELECT max(id) - $1::bigint FROM accepted_debit);

-- name: isPaused. For who is no payer: nobody pauses or resumes until the transaction ends.
SELECT paused_at IS NOT NULL AS "isPaused", pause_words(pause_says, pause_evidence) AS says FROM payer FOR SHARE;

-- name: unsigned. Nobody else moves them until the transaction ends.
SELECT t.id, t.payment_id AS "paymentId", b.name AS payout, t.chain_id AS "chainId", t.cmd, t.request_key AS "requestKey",
       (t.creation_time + t.ttl)::float8 AS "untilS", extract(epoch FROM c.head_at)::float8 AS "headS", t.partial_sigs AS partial
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN payout b ON b.id = l.payout_id LEFT JOIN payer_chain c ON c.chain_id = t.chain_id
WHERE t.state = 'built' AND l.state = 'prepared' AND b.rejected_at IS NULL AND t.attempt > l.former_attempts ORDER BY t.id FOR UPDATE OF t;
