-- Transactions that are signed elsewhere.

-- name: isPaused. Nobody pauses or resumes until the transaction ends.
SELECT paused_at IS NOT NULL AS "isPaused", pause_says AS says FROM payer FOR SHARE;

-- name: unsigned. Nobody else moves them until the transaction ends.
SELECT t.id, t.payment_id AS "paymentId", b.name AS payout, t.chain_id AS "chainId", t.cmd, t.request_key AS "requestKey",
       (t.creation_time + t.ttl)::float8 AS "untilS", extract(epoch FROM c.head_at)::float8 AS "headS", t.partial_sigs AS partial
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN payout b ON b.id = l.payout_id LEFT JOIN payer_chain c ON c.chain_id = t.chain_id
WHERE t.state = 'built' AND l.state = 'prepared' ORDER BY t.id FOR UPDATE OF t;
