-- Who pays on chain, and what became of it.

-- name: roleNow. Nobody else takes it, or writes by it, until the transaction ends: what people order is done before a payment is built or sent, or after it.
SELECT token, holder, account, heard_at < now() - interval '30 seconds' AS "isSilent" FROM payer FOR UPDATE;

-- name: take ($1: token, $2: who, $3: account, $4: how long commands are valid, $5: newest time of a block seen, $6: nothing of these books can be under way,
-- $7: what is dangerous about it)
UPDATE payer SET warning = $7, token = $1, holder = $2, account = $3, heard_at = now(), stranger = NULL, is_ready = $6 AND account IS NULL,
  validity_micros = greatest(validity_micros, $4::bigint),
  waits_until = greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $5::bigint, (SELECT coalesce(max(time_micros), 0) FROM chain_block))
    + greatest(validity_micros, $4::bigint);

-- name: renew ($1: tokens that it may have written last, $2: the next). Nothing where another one is there.
UPDATE payer SET token = $2, heard_at = now() WHERE token = ANY ($1::uuid[]) RETURNING stranger;

-- name: leave ($1: token)
UPDATE payer SET heard_at = 'epoch', holder = NULL, token = gen_random_uuid() WHERE token = ANY ($1::uuid[]);

-- name: becomeReady. Once the cursor of every chain is past what is waited for.
UPDATE payer SET is_ready = true WHERE NOT is_ready AND EXISTS (SELECT FROM chain) AND NOT EXISTS (
  SELECT FROM chain c LEFT JOIN chain_block b ON b.chain_id = c.id AND b.hash = c.cursor WHERE coalesce(b.time_micros, 0) < waits_until);

-- name: waitAgain. Cursors that were past what is waited for are taken back: until they are again, what the books do not know may be in a block.
UPDATE payer SET is_ready = false WHERE is_ready;

-- name: now
SELECT l.id AS "ledgerId", p.is_ready AS "isReady", (extract(epoch FROM p.planned_at) * 1000)::float8 AS "plannedAtMs",
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs", p.is_asked AS "isAsked",
  ARRAY(SELECT reason FROM pause ORDER BY since, reason) AS "pauses",
  ARRAY(SELECT id FROM chain WHERE trouble = '' AND behind = 0 AND cursor IS NOT NULL AND followed_at > now() - interval '2 minutes' ORDER BY id) AS "chains",
  EXISTS (SELECT FROM payout o WHERE o.hash IS NOT NULL AND cardinality(o.approved_by) < o.approvals
    AND EXISTS (SELECT FROM payout_line n WHERE n.payout_id = o.id AND n.state = 'prepared')) AS "isWaiting"
FROM payer p, ledger l;

-- name: open ($1: those after this one, $2: how many). Transactions that a block may still end.
SELECT t.id, t.line_id AS "lineId", t.attempt, t.request_key AS "requestKey", a.name AS account, t.amount::text AS "amount", t.chain_id AS "chainId",
  t.cmd, t.gas::text AS "gas", t.until_micros::text AS "untilMicros", t.signatures, t.is_signed AS "isSigned", t.sent_at IS NOT NULL AS "isSent",
  t.refused_why IS NOT NULL OR a.held_why IS NOT NULL AS "isLeftOut",
  ARRAY(SELECT d.request_key FROM chain_transaction d WHERE d.line_id = t.line_id AND d.attempt < t.attempt AND d.state IN ('dead', 'failed') AND d.asked_at IS NOT NULL
    ORDER BY d.attempt DESC LIMIT 3) AS "deadKeys"
FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id JOIN account a ON a.id = n.account_id
WHERE t.state = 'open' AND NOT t.by_hand AND t.id > $1 ORDER BY t.id LIMIT $2;

-- name: toPay ($1: how many, $2: chains). On these chains, approved, of accounts that are not held, and with no transaction that is open or paid;
-- those that were left out before come last.
WITH approved AS MATERIALIZED (
  SELECT id FROM payout o WHERE hash IS NOT NULL AND cardinality(approved_by) >= approvals
    AND EXISTS (SELECT FROM payout_line n WHERE n.payout_id = o.id AND n.state = 'prepared') AND hash = payout_hash(id)
)
SELECT n.id, 1 + (SELECT coalesce(max(attempt), 0) FROM chain_transaction t WHERE t.line_id = n.id) AS "attempt", a.name AS account,
  n.chain_id AS "chainId", n.amount::text AS "amount"
FROM payout_line n JOIN approved o ON o.id = n.payout_id JOIN account a ON a.id = n.account_id
WHERE n.state = 'prepared' AND a.held_why IS NULL AND n.chain_id IS NOT NULL AND n.chain_id = ANY ($2::int[])
  AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid'))
ORDER BY n.note <> '', o.id, n.id LIMIT $1;

-- name: due ($1: minimum of accounts that have none of their own, $2: those after this one, $3: how many)
SELECT a.id, a.name AS account, m.due::numeric(38, 12)::text AS "due!", a.wished_chain AS "wishedChain", coalesce(a.minimum_payout, $1)::numeric(38, 12)::text AS "minimum!"
FROM money m JOIN account a ON a.id = m.account_id
WHERE a.id > $2 AND a.held_why IS NULL AND m.due >= coalesce(a.minimum_payout, $1) ORDER BY a.id LIMIT $3;

-- name: toBound. What payments on chain came to.
SELECT (SELECT coalesce(sum(n.amount), 0)::numeric(38, 12)::text FROM payout_line n JOIN payout o ON o.id = n.payout_id
    WHERE o.hash IS NOT NULL AND (n.state IN ('prepared', 'unknown') OR n.state = 'confirmed' AND n.changed_at > now() - interval '24 hours')) AS "lastDay",
  (SELECT count(*)::int FROM payout WHERE hash IS NOT NULL AND cardinality(approved_by) >= approvals) AS "payouts",
  ARRAY(SELECT (payments_of(id)).total FROM payout WHERE hash IS NOT NULL AND cardinality(approved_by) >= approvals ORDER BY id DESC LIMIT 20) AS "formerPayouts";

-- name: planned ($1: why something waits, $2: whether it is looked through again soon). Looked through just now.
UPDATE payer SET planned_at = CASE WHEN $2::boolean THEN planned_at ELSE now() END, is_asked = is_asked AND $2, waiting_why = $1;

-- name: promised. Of lines on chain that no transaction pays yet.
SELECT n.chain_id AS "chainId", sum(n.amount)::text AS amount, count(*)::int AS "count" FROM payout_line n JOIN payout o ON o.id = n.payout_id
WHERE o.hash IS NOT NULL AND n.state = 'prepared' AND n.chain_id IS NOT NULL
  AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid')) GROUP BY n.chain_id;

-- name: describe ($1: payout, $2: how many have to approve it, $3: why). It is paid on chain.
UPDATE payout SET hash = payout_hash(id), approvals = $2, approval_why = $3 WHERE id = $1;

-- name: insertLines ($1: payout, $2: accounts, $3: chains, $4: amounts)
INSERT INTO payout_line (payout_id, account_id, chain_id, amount) SELECT $1, u.* FROM unnest($2::int[], $3::int[], $4::numeric[]) AS u;

-- name: isPaused
SELECT EXISTS (SELECT FROM pause) AS "isPaused";

-- name: covered ($1: lines). Those that are still to be paid, with whether all that their accounts' open lines claim is covered, and no chain of theirs stands still.
SELECT n.id, b.amount >= (SELECT sum(c.amount) FROM payout_line c WHERE c.account_id = n.account_id AND c.state IN ('prepared', 'unknown')) AS "isCovered!"
FROM payout_line n JOIN balance b ON b.account_id = n.account_id JOIN chain h ON h.id = n.chain_id AND h.trouble = ''
WHERE n.id = ANY ($1::bigint[]) AND n.state = 'prepared'
  AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid'))
FOR UPDATE OF n, b;

-- name: withdraw ($1: lines, $2: why). Their amounts are due again.
UPDATE payout_line SET state = 'failed', note = $2, changed_at = now() WHERE id = ANY ($1::bigint[]) AND state = 'prepared';

-- name: build ($1: line, $2: attempt, $3: request key, $4: command, $5: until when, $6: most gas)
INSERT INTO chain_transaction (line_id, attempt, request_key, chain_id, amount, cmd, until_micros, gas)
SELECT id, $2, $3, chain_id, amount, $4, $5, $6 FROM payout_line WHERE id = $1;

-- name: asking ($1: transactions). Fewer where one was settled meanwhile, or its account is held.
UPDATE chain_transaction t SET asked_at = coalesce(t.asked_at, now()) FROM payout_line n JOIN account a ON a.id = n.account_id
WHERE t.id = ANY ($1::bigint[]) AND n.id = t.line_id AND t.state = 'open' AND NOT t.by_hand AND a.held_why IS NULL;

-- name: sign ($1: transaction, $2: signatures, $3: whether these are all)
UPDATE chain_transaction SET signatures = $2, is_signed = $3, refused_why = NULL WHERE id = $1 AND state = 'open' AND NOT is_signed;

-- name: refuse ($1: transaction, $2: why)
UPDATE chain_transaction SET refused_why = $2 WHERE id = $1;

-- name: sending ($1: transactions). Fewer where one was settled meanwhile, or its account is held.
UPDATE chain_transaction t SET sent_at = coalesce(t.sent_at, now()) FROM payout_line n JOIN account a ON a.id = n.account_id
WHERE t.id = ANY ($1::bigint[]) AND n.id = t.line_id AND t.state = 'open' AND NOT t.by_hand AND a.held_why IS NULL;

-- name: leaveOut ($1: lines, $2: why each)
UPDATE payout_line n SET note = u.why FROM unnest($1::bigint[], $2::text[]) AS u (id, why) WHERE n.id = u.id AND n.note <> u.why AND n.state = 'prepared';

-- name: pause ($1: reason, $2: evidence)
INSERT INTO pause (reason, says) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING reason;

-- name: resume. Resolves with what was paused for.
DELETE FROM pause RETURNING reason;

-- name: setStranger ($1: request key, $2: whose coins it moved). Only who pays can tell whether it is one: when it has seen that the books did not go back.
UPDATE payer SET stranger = coalesce(stranger, $1) WHERE is_ready AND account = $2;

-- name: forgetStranger
UPDATE payer SET stranger = NULL;

-- name: known ($1: request key). isSaid: people have ended it, and no block.
SELECT t.id, t.line_id AS "lineId", t.state, t.attempt, t.state <> 'open' AND t.by_hand AS "isSaid"
FROM chain_transaction t WHERE t.request_key = $1 FOR UPDATE;

-- name: isTaken ($1: line). It is paid, by whatever, or another transaction of it is open.
SELECT n.state IN ('sent', 'confirmed') OR EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid')) AS "isTaken"
FROM payout_line n WHERE n.id = $1;

-- name: saidPaid ($1: request key, $2 and $3: account and amount). The line that it has paid, as people say.
SELECT n.id, n.state IN ('sent', 'confirmed') AS "isMade", a.name = $2 AND n.amount = $3 AS "isSame!"
FROM payout_line n JOIN account a ON a.id = n.account_id WHERE n.request_key = $1 FOR UPDATE OF n;

-- name: lineFor ($1: line, $2: account, $3: chain, $4: amount). Where a payment of that kind is still to be made by it.
SELECT n.id FROM payout_line n JOIN account a ON a.id = n.account_id
WHERE n.id = $1 AND n.state = 'prepared' AND a.name = $2 AND n.chain_id = $3 AND n.amount = $4
  AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid')) FOR UPDATE OF n;

-- name: hasLine ($1: line)
SELECT EXISTS (SELECT FROM payout_line WHERE id = $1) AS "has";

-- name: enterLine ($1: line, or null for a new one, $2: payout, $3: account, $4: chain, $5: amount, $6: note)
INSERT INTO payout_line (id, payout_id, account_id, chain_id, amount, note) VALUES (coalesce($1, random_id()), $2, $3, $4, $5, $6) RETURNING id;

-- name: enterTransaction ($1: line, $2: attempt, $3: request key, $4: command, $5: until when, $6: gas, $7: chain)
INSERT INTO chain_transaction (line_id, attempt, request_key, chain_id, amount, cmd, until_micros, gas, is_signed, sent_at)
SELECT n.id, greatest($2, 1 + (SELECT max(attempt) FROM chain_transaction t WHERE t.line_id = n.id)), $3, $7, n.amount, $4, $5, $6, true, now()
FROM payout_line n WHERE n.id = $1 RETURNING id;

-- name: moveTo ($1: transaction, $2: line). What was found beside another one of its line has one of its own.
UPDATE chain_transaction SET line_id = $2 WHERE id = $1;

-- name: end ($1: transaction, $2: as what, $3 and $4: height and hash of the block, $5: gas)
UPDATE chain_transaction SET state = $2, ended_height = $3, ended_hash = $4, gas = coalesce($5, gas), ended_times = ended_times + 1, by_hand = false
WHERE id = $1 RETURNING ended_times AS "times";

-- name: isPaid ($1: line, $2: request key)
UPDATE payout_line SET state = 'confirmed', request_key = $2, note = '', changed_at = now() WHERE id = $1;

-- name: isFailed ($1: line, $2: why)
UPDATE payout_line SET state = 'failed', note = $2, changed_at = now() WHERE id = $1;

-- name: isOpenAgain ($1: line)
UPDATE payout_line SET state = 'prepared', note = '', changed_at = now() WHERE id = $1;

-- name: isUndecided ($1: line, $2: why)
UPDATE payout_line SET state = 'unknown', note = $2, changed_at = now() WHERE id = $1;

-- name: die ($1: chain, $2: the time of a block, $3 and $4: its height and hash). Its time is over.
UPDATE chain_transaction SET state = 'dead', ended_height = $3, ended_hash = $4
WHERE chain_id = $1 AND state = 'open' AND NOT by_hand AND until_micros <= $2 RETURNING line_id AS "lineId", refused_why AS "refusedWhy";

-- name: endedBy ($1: chain, $2: height, $3: hash). The latest first. newer: what there is of a newer one of the same line; reopened: in this very transaction.
SELECT t.id, t.line_id AS "lineId", t.request_key AS "requestKey", t.attempt, t.state, t.gas::text AS "gas", t.ended_times AS times, t.by_hand AS "byHand",
  (SELECT CASE WHEN o.reopened_at = now() THEN 'reopened' ELSE 'alive' END
    FROM chain_transaction o WHERE o.line_id = t.line_id AND o.attempt > t.attempt AND o.state IN ('open', 'paid')) AS newer
FROM chain_transaction t WHERE t.chain_id = $1 AND t.ended_height = $2 AND t.ended_hash = $3 AND (t.state <> 'open' OR t.by_hand) ORDER BY t.id DESC FOR UPDATE;

-- name: reopen ($1: transaction)
UPDATE chain_transaction SET state = 'open', ended_height = NULL, ended_hash = NULL, by_hand = false, reopened_at = now() WHERE id = $1;

-- name: leaveToPeople ($1: chain, $2 and $3: height and hash of the block). No block can end them any more.
UPDATE chain_transaction t SET by_hand = true, ended_height = $2, ended_hash = $3 FROM payout_line n WHERE n.id = t.line_id AND t.chain_id = $1 AND t.state = 'open' AND NOT t.by_hand RETURNING t.line_id AS "lineId";

-- name: lineToSettle ($1: line)
SELECT n.id, n.state, t.id AS "openId"
FROM payout_line n LEFT JOIN chain_transaction t ON t.line_id = n.id AND t.state = 'open' WHERE n.id = $1 FOR UPDATE OF n;

-- name: settle ($1: transaction, $2: as what). By hand; one that a block has stays as it was ended there, with its gas.
UPDATE chain_transaction SET state = $2, by_hand = state <> 'failed' WHERE id = $1;

-- name: readers. What reads blocks for payments: chains with transactions that are open. Who is silent is ready no more: a standby that lags far behind
-- knows him alone, and not the account that was bound since and has paid.
SELECT l.id AS "ledgerId", p.account, p.is_ready AND p.heard_at > now() - interval '30 seconds' AS "isReady",
  ARRAY(SELECT DISTINCT chain_id FROM chain_transaction WHERE state = 'open') AS "chains" FROM payer p, ledger l;

-- name: prepared ($1: payout). What is approved, to the line.
SELECT o.id, o.name, o.hash, o.approvals, o.approved_by AS "approvedBy", payout_hash(o.id) AS "hashNow",
  EXISTS (SELECT FROM payout_line n WHERE n.payout_id = o.id AND n.state = 'prepared') AS "isOpen",
  EXISTS (SELECT FROM payout_line n JOIN chain_transaction t ON t.line_id = n.id WHERE n.payout_id = o.id) AS "isBuilt"
FROM payout o WHERE o.id = $1 FOR UPDATE;

-- name: approve ($1: payout, $2: who)
UPDATE payout SET approved_by = approved_by || $2::text WHERE id = $1;

-- name: reject ($1: payout, $2: why). All of its lines are due again.
UPDATE payout_line SET state = 'failed', note = $2, changed_at = now() WHERE payout_id = $1 AND state = 'prepared' RETURNING id;

-- name: hold ($1: account, $2: why)
UPDATE account SET held_why = $2 WHERE id = $1;

-- name: allowAll
UPDATE account SET held_why = NULL WHERE held_why IS NOT NULL RETURNING name;

-- name: rebind ($1: account)
UPDATE payer SET account = $1, is_ready = false, holder = NULL, heard_at = 'epoch', token = gen_random_uuid()
WHERE NOT EXISTS (SELECT FROM chain_transaction WHERE state = 'open') RETURNING account;

-- name: ask. For a payout, beside the schedule.
UPDATE payer SET is_asked = true;

-- name: shown. As people see it.
SELECT p.holder, p.account, CASE WHEN p.heard_at = 'epoch' THEN NULL ELSE iso_of(p.heard_at) END AS "heardAt", p.heard_at > now() - interval '30 seconds' AS "isPaying",
  p.is_ready AS "isReady", CASE WHEN p.is_ready THEN NULL ELSE iso_of(to_timestamp(p.waits_until / 1000000.0)) END AS "waitsUntil",
  (SELECT iso_of(to_timestamp(min(b.time_micros) / 1000000.0)) FROM chain c JOIN chain_block b ON b.chain_id = c.id AND b.hash = c.cursor) AS "cursorAt",
  (SELECT coalesce(json_agg(json_build_object('reason', s.reason, 'says', s.says, 'since', iso_of(s.since)) ORDER BY s.since, s.reason), '[]') FROM pause s) AS "pauses",
  p.waiting_why AS "waitingWhy", p.warning, iso_of(p.planned_at) AS "plannedAt!", p.is_asked AS "isAsked",
  (SELECT count(*)::int FROM chain_transaction WHERE state = 'open') AS "open",
  (SELECT count(*)::int FROM chain_transaction WHERE state = 'open' AND sent_at IS NOT NULL) AS "sent",
  (SELECT count(*)::int FROM payout_line n JOIN payout o ON o.id = n.payout_id WHERE o.hash IS NOT NULL AND n.state = 'prepared') AS "lines",
  (SELECT count(*)::int FROM payout o WHERE o.hash IS NOT NULL AND cardinality(o.approved_by) < o.approvals
    AND EXISTS (SELECT FROM payout_line n WHERE n.payout_id = o.id AND n.state = 'prepared')) AS "waiting",
  (SELECT count(*)::int FROM account WHERE held_why IS NOT NULL) AS "held"
FROM payer p;

-- name: transactions ($1: payout, or null for all, $2: how many, $3: offset). The latest first; how many there are in all stands in each row.
SELECT t.line_id AS line, o.name AS payout, a.name AS account, t.amount::text AS "amount", t.chain_id AS "chainId", t.attempt, t.state, t.request_key AS "requestKey",
  iso_of(t.built_at) AS "builtAt!", iso_of(to_timestamp(t.until_micros / 1000000.0)) AS "until!", t.is_signed AS "isSigned",
  CASE WHEN t.sent_at IS NULL THEN NULL ELSE iso_of(t.sent_at) END AS "sentAt", t.ended_height::float8 AS height,
  CASE WHEN t.state IN ('paid', 'failed') THEN t.gas::text END AS gas,
  CASE WHEN t.by_hand AND t.state = 'open' THEN 'it is for people to settle' ELSE coalesce(t.refused_why, n.note) END AS "why", count(*) OVER ()::int AS "total"
FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id JOIN payout o ON o.id = n.payout_id JOIN account a ON a.id = n.account_id
WHERE $1::text IS NULL OR o.name = $1 OR o.id::text = $1 ORDER BY t.id DESC LIMIT $2 OFFSET $3;

-- name: unsigned. That wait for signatures; cursorMs: the time of the last block of their chain that was taken over.
SELECT t.id, t.request_key AS "requestKey", t.chain_id AS "chainId", t.cmd, t.signatures, (t.until_micros / 1000)::float8 AS "untilMs",
  (b.time_micros / 1000)::float8 AS "cursorMs", a.held_why IS NOT NULL AS "isHeld"
FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id JOIN account a ON a.id = n.account_id JOIN chain c ON c.id = t.chain_id JOIN chain_block b ON b.chain_id = c.id AND b.hash = c.cursor
WHERE t.state = 'open' AND NOT t.is_signed AND NOT t.by_hand ORDER BY t.id;
