-- What is shown of payments on chain.

-- name: payer ($1: number of the lock that who pays holds)
SELECT p.account, p.network, p.place, p.pause_kind AS "pauseKind", pause_words(p.pause_says, p.pause_evidence) AS "pauseSays", p.pause_by AS "pauseBy",
       p.pause_evidence AS "pauseEvidence", ms_of(p.paused_at) AS "pausedAtMs", ms_of(p.ran_at) AS "ranAtMs", ms_of(p.next_at) AS "nextAtMs",
       CASE WHEN p.batch_asked_at > coalesce(p.ran_at, '-infinity') THEN ms_of(p.batch_asked_at) END AS "askedAtMs", p.why_not AS "whyNot",
       ms_of(now()) AS "nowMs", EXISTS (
         SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = 0 AND objid = $1::bigint::oid
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "isSeated",
       (SELECT count(*)::int FROM payout b WHERE b.paid_by = 'chain' AND b.closed_at IS NULL AND b.rejected_at IS NULL AND b.approvals_needed > (
         SELECT count(*) FROM payout_approval a WHERE a.payout_id = b.id AND a.content_hash = b.content_hash)) AS unapproved,
       (SELECT json_build_object(
          'prepared', count(*) FILTER (WHERE l.state = 'prepared'), 'sent', count(*) FILTER (WHERE l.state = 'sent'),
          'confirmed', count(*) FILTER (WHERE l.state = 'confirmed'), 'failed', count(*) FILTER (WHERE l.state = 'failed'),
          'unknown', count(*) FILTER (WHERE l.state = 'unknown'), 'held', count(*) FILTER (WHERE l.state = 'held'))
        FROM payment l JOIN payout b ON b.id = l.payout_id WHERE b.paid_by = 'chain' AND b.closed_at IS NULL) AS lines
FROM payer p;

-- name: payerChains
SELECT coalesce(c.chain_id, w.chain_id) AS "chainId!", c.height::float8 AS height, c.balance::text AS balance, c.head_height::float8 AS "headHeight",
       ms_of(c.head_at) AS "headAtMs", coalesce(nullif(c.trouble, ''), c.doubt, '') AS trouble, coalesce(c.missing, 0)::numeric(38, 12)::text AS missing,
       coalesce(w.amount, 0)::numeric(38, 12)::text AS waiting,
       coalesce(w.lines, 0) AS lines
FROM payer_chain c FULL JOIN (
  SELECT l.chain_id, sum(l.amount) AS amount, count(*)::int AS lines FROM payment l JOIN payout b ON b.id = l.payout_id
  WHERE b.paid_by = 'chain' AND l.state IN ('prepared', 'sent', 'unknown') GROUP BY 1) w ON w.chain_id = c.chain_id
WHERE coalesce(c.chain_id, w.chain_id) IS NOT NULL ORDER BY 1;

-- name: waits. What lines of batches that are not closed wait for, summed.
SELECT b.name AS payout, b.content_hash AS "contentHash", b.approval_for AS "approvalFor", b.rejected_at IS NOT NULL AS "isRejected",
       l.chain_id AS "chainId", t.state AS transaction, count(*)::int AS lines,
       greatest(0, b.approvals_needed - (SELECT count(*)::int FROM payout_approval a WHERE a.payout_id = b.id AND a.content_hash = b.content_hash))
         AS approvals, (min(t.creation_time + t.ttl) * 1000)::float8 AS "untilMs"
FROM payment l JOIN payout b ON b.id = l.payout_id
LEFT JOIN transaction t ON t.payment_id = l.id AND t.state IN ('built', 'signed', 'sent', 'included', 'unknown')
WHERE b.paid_by = 'chain' AND b.closed_at IS NULL AND l.state IN ('prepared', 'sent', 'unknown')
GROUP BY b.id, l.chain_id, t.state ORDER BY b.id, l.chain_id, t.state;

-- name: awaited ($1: how many). Transactions that wait for signatures from elsewhere, and are in time by the chain as it was seen last.
SELECT l.id, b.name AS payout, a.name AS account, t.chain_id AS "chainId", l.amount, (1000 * (t.creation_time + t.ttl))::float8 AS "untilMs",
       count(*) OVER ()::int AS total
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
CROSS JOIN payer p LEFT JOIN payer_chain c ON c.chain_id = t.chain_id
WHERE t.followed AND t.state = 'built' AND l.state = 'prepared' AND b.rejected_at IS NULL AND (p.signs_elsewhere OR t.partial_sigs IS NOT NULL)
  AND (c.head_at IS NULL OR extract(epoch FROM c.head_at) < t.creation_time + t.ttl)
ORDER BY t.id LIMIT $1;

-- name: line ($1: payment, or null, $2: request key of one of its attempts)
SELECT l.id, b.name AS payout, a.name AS account, l.part, l.chain_id AS "chainId", l.amount, l.state, l.note, t.attempt, t.state AS transaction,
       t.request_key AS "requestKey", t.block_height::float8 AS "blockHeight", t.block_hash AS "blockHash", t.gas_paid AS "gasPaid",
       iso_of(coalesce(t.changed_at, l.changed_at)) AS "changedAt!"
FROM payment l JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
LEFT JOIN LATERAL (SELECT * FROM transaction t WHERE t.payment_id = l.id ORDER BY t.attempt DESC LIMIT 1) t ON true
WHERE b.paid_by = 'chain' AND l.id = coalesce($1::bigint, (SELECT k.payment_id FROM transaction k WHERE k.request_key = $2));

-- name: lineCount ($1: number of a payout, or null, $2: its name, or null). No row where there is none.
SELECT b.id, (SELECT count(*)::int FROM payment l WHERE l.payout_id = b.id) AS total FROM payout b WHERE b.id = $1 OR b.name = $2;

-- name: linesOf ($1: payout, $2: how many, $3: offset)
SELECT l.id, b.name AS payout, a.name AS account, l.part, l.chain_id AS "chainId", l.amount, l.state, l.note, t.attempt, t.state AS transaction,
       coalesce(t.request_key, l.request_key) AS "requestKey", t.block_height::float8 AS "blockHeight", t.block_hash AS "blockHash",
       t.gas_paid AS "gasPaid", iso_of(coalesce(t.changed_at, l.changed_at)) AS "changedAt!"
FROM payment l JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
LEFT JOIN LATERAL (SELECT * FROM transaction t WHERE t.payment_id = l.id ORDER BY t.attempt DESC LIMIT 1) t ON true
WHERE b.id = $1 ORDER BY a.name, l.part LIMIT $2 OFFSET $3;

-- name: attempts ($1: payment)
SELECT attempt, state, request_key AS "requestKey", cmd, block_height::float8 AS "blockHeight", block_hash AS "blockHash",
       gas_paid::text AS "gasPaid", why, iso_of(sent_at) AS "sentAt"
FROM transaction WHERE payment_id = $1 ORDER BY attempt DESC;

-- name: steps ($1: payment, $2: how many)
SELECT iso_of(happened_at) AS "at!", happened_by AS "by", was, now, evidence FROM payment_event WHERE payment_id = $1 ORDER BY id DESC LIMIT $2;

-- name: progress ($1: payout, or null for all). Lines without a last word, and those of which a block may still leave its chain.
SELECT count(*) FILTER (WHERE open)::int AS open, count(*) FILTER (WHERE followed)::int AS followed FROM (
  SELECT l.state IN ('prepared', 'sent', 'unknown') AS open, EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.followed) AS followed
  FROM payment l JOIN payout b ON b.id = l.payout_id WHERE b.paid_by = 'chain' AND CASE WHEN $1::bigint IS NULL
    THEN l.state IN ('prepared', 'sent', 'unknown') OR EXISTS (SELECT FROM transaction t WHERE t.payment_id = l.id AND t.followed)
    ELSE b.id = $1 END) AS lines;

-- name: askForBatch
UPDATE payer SET batch_asked_at = now() RETURNING ms_of(batch_asked_at) AS "atMs!";

-- name: statement ($1: from, $2: to, $3: after which transaction, $4: how many). What was paid on chain, in the order in which it was made.
-- Its time is that of confirmation: what becomes final is not told a second time, in another range.
SELECT t.id, ms_of(e.at) AS "atMs", b.name AS payout, l.id AS payment, a.name AS account, l.amount::text AS amount, t.chain_id AS "chainId",
       t.state, t.request_key AS "requestKey", t.block_height::float8 AS "blockHeight", t.block_hash AS "blockHash", t.gas_paid::text AS "gasPaid"
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN payout b ON b.id = l.payout_id JOIN account a ON a.id = l.account_id
CROSS JOIN LATERAL (
  SELECT coalesce(max(happened_at), t.changed_at) AS at FROM payment_event
  WHERE payment_id = l.id AND transaction_id = t.id AND now IN ('confirmed', 'refused')) e
WHERE t.state IN ('confirmed', 'final', 'refused') AND ($1::timestamptz IS NULL OR e.at >= $1) AND ($2::timestamptz IS NULL OR e.at < $2)
  AND t.id > $3::bigint ORDER BY t.id LIMIT $4;
