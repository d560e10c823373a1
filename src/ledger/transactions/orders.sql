-- What people order of payments on chain.

-- name: lockPayer. What the payer writes comes before or after, and not between.
SELECT FROM payer FOR UPDATE;

-- name: takeBatch ($1: number, or null, $2: name). Nobody else moves it until the transaction ends.
SELECT id, name, paid_by AS "paidBy", content_hash AS "contentHash", approvals_needed AS "approvalsNeeded",
       rejected_at IS NOT NULL AS "isRejected", closed_at IS NOT NULL AS "isClosed"
FROM payout WHERE id = $1::bigint OR name = $2 FOR UPDATE;

-- name: otherLines ($1: payout)
SELECT has_other_lines(b) AS "hasOther!" FROM payout b WHERE id = $1;

-- name: approve ($1: payout, $2: by whom, $3: content hash)
INSERT INTO payout_approval (payout_id, approved_by, content_hash) VALUES ($1, $2, $3)
ON CONFLICT (payout_id, approved_by) DO UPDATE SET content_hash = excluded.content_hash, approved_at = now();

-- name: approvals ($1: payout). Of what stands in it now.
SELECT a.approved_by AS "by", ms_of(a.approved_at) AS "atMs" FROM payout_approval a JOIN payout b ON b.id = a.payout_id
WHERE a.payout_id = $1 AND a.content_hash = b.content_hash ORDER BY a.approved_at;

-- name: openLines ($1: payout). isAsked: somebody may have signed for it, so that it may be on the chain.
SELECT id, account_id AS "accountId", amount, EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.asked_at IS NOT NULL
  AND t.state NOT IN ('refused', 'expired', 'dropped')) AS "isAsked"
FROM payment l WHERE payout_id = $1 AND state = 'prepared' ORDER BY id FOR UPDATE;

-- name: dropAll ($1: payout). Of what nobody was asked to sign.
UPDATE transaction t SET state = 'dropped', followed = false, why = 'its batch was rejected', changed_at = now()
FROM payment l WHERE l.id = t.payment_id AND l.payout_id = $1 AND t.state = 'built' AND t.asked_at IS NULL;

-- name: rejectLines ($1: payments, $2: note)
UPDATE payment SET state = 'failed', note = $2, changed_at = now() WHERE id = ANY ($1::bigint[]);

-- name: reject ($1: payout, $2: note). It is closed when nothing of it can come on the chain any more.
UPDATE payout b SET rejected_at = now(), note = $2, closed_at = CASE WHEN EXISTS (
  SELECT FROM payment l WHERE l.payout_id = b.id AND (l.state IN ('prepared', 'sent', 'unknown') OR EXISTS (
    SELECT FROM transaction t WHERE t.payment_id = l.id AND t.state IN ('built', 'signed', 'sent', 'included', 'unknown')))) THEN NULL ELSE now() END
WHERE id = $1;

-- name: followed ($1: payout). Lines that may still come on the chain, or are there and not deep enough.
SELECT count(*)::int AS lines FROM payment WHERE payout_id = $1 AND state IN ('prepared', 'sent', 'unknown');

-- name: resume ($1: what the pause says that is to end, null: whatever it is, $2: since when, ms). What was paused, if anything, and what a
-- comparison since then has called foreign.
WITH former AS (SELECT pause_kind, pause_words(pause_says, pause_evidence) AS says, pause_evidence,
    CASE WHEN reconciled_at > paused_at THEN reconciled -> 'foreign' END AS "foreign" FROM payer WHERE paused_at IS NOT NULL FOR UPDATE)
UPDATE payer SET paused_at = NULL, pause_kind = NULL, pause_says = NULL, pause_by = NULL, pause_evidence = NULL
FROM former WHERE $1::text IS NULL OR (former.says = $1 AND ms_of(paused_at) = $2::float8)
RETURNING former.pause_kind AS kind, former.says, former.pause_evidence AS evidence, former."foreign";

-- name: askReconcile ($1: since what height, or null, $2: whether what is missing is entered)
UPDATE payer SET reconcile_asked_at = now(), reconcile_since = $1, reconcile_applies = $2 RETURNING ms_of(reconcile_asked_at) AS "atMs!";

-- name: reconciliation
SELECT ms_of(reconciled_at) AS "atMs", coalesce(reconciled_at > paused_at, false) AS "isSincePause", reconciled AS outcome FROM payer;

-- name: linesOfAccount ($1: account, $2: chain, or null). That are still to be paid on chain.
SELECT l.id FROM payment l JOIN payout b ON b.id = l.payout_id
WHERE l.account_id = $1 AND b.paid_by = 'chain' AND l.state = 'prepared' AND ($2::int IS NULL OR l.chain_id = $2) ORDER BY l.id;

-- name: allow ($1: account, $2: chain, or null, $3: whether all chains, $4: by whom)
UPDATE payout_hold SET allowed_at = now(), allowed_by = $4
WHERE account_id = $1 AND allowed_at IS NULL AND ($3 OR chain_id IS NOT DISTINCT FROM $2::int);

-- name: holds ($1: how many). Of accounts that are not paid now.
SELECT a.name AS account, h.chain_id AS "chainId", ms_of(h.until) AS "untilMs", h.note, h.held_by AS "by", ms_of(h.held_at) AS "atMs"
FROM payout_hold h JOIN account a ON a.id = h.account_id
WHERE h.allowed_at IS NULL AND (h.until IS NULL OR h.until > now()) ORDER BY h.id DESC LIMIT $1;

-- name: wish ($1: account, $2: minimum, null: as for everybody, $3: chain, or null, $4: time in the wish, ms). No row for one that is not newer by a minute.
UPDATE account SET minimum_payout = $2, wished_chain = $3, wished_at = at_ms($4::float8)
WHERE id = $1 AND (wished_at IS NULL OR wished_at <= at_ms($4::float8) - interval '1 minute') RETURNING id;

-- name: batches ($1: how many, $2: before which id, null: the latest, $3: whether only those that are not closed)
SELECT b.id, b.name, b.content_hash AS "contentHash", b.approval_for AS "approvalFor", b.approvals_needed AS "approvalsNeeded",
       (SELECT count(*)::int FROM payout_approval a WHERE a.payout_id = b.id AND a.content_hash = b.content_hash) AS approvals,
       b.rejected_at IS NOT NULL AS "isRejected", b.closed_at IS NOT NULL AS "isClosed", t.total AS "total!", t.accounts AS "accounts!",
       t.payments AS "payments!",
       ms_of(b.prepared_at) AS "preparedAtMs", b.prepared_by AS "preparedBy", b.note
FROM payout b CROSS JOIN LATERAL payments_of(b.id) AS t
WHERE b.paid_by = 'chain' AND ($2::bigint IS NULL OR b.id < $2) AND (NOT $3 OR b.closed_at IS NULL) ORDER BY b.id DESC LIMIT $1;
