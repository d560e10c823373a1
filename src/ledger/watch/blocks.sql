-- Blocks and payouts, a page at a time, as views have them.

-- name: blocks ($1: how many, $2: before which id, $3: state, $4: chain; null for all)
SELECT b.id, b.state, b.chain_id AS "chainId", b.height::float8 AS height, encode(b.hash, 'hex') AS hash,
       CASE WHEN b.state <> 'orphaned' THEN greatest(0, (SELECT c.head_height FROM chain c WHERE c.id = b.chain_id) - b.height + 1)::float8 ELSE 0 END AS "depth",
       (b.reward + b.fees)::text AS reward, json_build_object('account', b.account, 'rig', b.rig) AS finder, b.node, b.detail, iso_of(b.found_at) AS "foundAt!",
       b.state = 'confirmed' AND b.reward IS NULL AND b.receiver IS NOT NULL AS "paysAnother",
       b.effort,
       (SELECT bridge_in_words(p.place, p.id) FROM log p
        WHERE b.id IN (SELECT id FROM unweighed_block) AND NOT p.ended
          AND (p.watermark < b.slot + interval '10 seconds' OR b.slot IS NULL AND p.id = b.log) ORDER BY p.watermark LIMIT 1) AS "waitsFor"
FROM block b
WHERE b.state IS NOT NULL AND ($2::bigint IS NULL OR b.id < $2) AND ($3::text IS NULL OR b.state = $3) AND ($4::int IS NULL OR b.chain_id = $4)
ORDER BY b.id DESC LIMIT $1;

-- name: solutions ($1: how many, $2: before which id, or null, $3: what its node said, $4: chain, or null)
-- Those that no node can have taken.
SELECT id, said AS "state!", chain_id AS "chainId", height::float8 AS height, '' AS hash, 0::float8 AS "depth", NULL::text AS reward,
       json_build_object('account', account, 'rig', rig) AS finder, node, detail, iso_of(found_at) AS "foundAt!", false AS "paysAnother", NULL::float8 AS effort, NULL::text AS "waitsFor"
FROM block
WHERE state IS NULL AND said = $3 AND ($2::bigint IS NULL OR id < $2) AND ($4::int IS NULL OR chain_id = $4)
ORDER BY id DESC LIMIT $1;

-- name: openRound. One row, or none.
SELECT ms_of(round_since) AS "sinceMs",
       ((SELECT coalesce(sum(w), 0) FROM unnest(round_work) AS w)
        + (SELECT coalesce(sum(w.work), 0) FROM rig_work w WHERE w.kind = 0 AND w.starts_at >= round_until))::text AS work
FROM settlement;

-- name: bestShare. One row, or none.
SELECT best AS difficulty, iso_of(best_at) AS at FROM rig WHERE best_at IS NOT NULL ORDER BY best DESC LIMIT 1;

-- name: lastRounds ($1: how many). What no node took, and is on no chain, was no block; the work until it counts.
SELECT count(*) FILTER (WHERE state = 'confirmed' OR taken)::int AS blocks, coalesce(sum(effort), 0) AS expected
FROM (SELECT state, effort, said = 'received' AS taken FROM block WHERE weighed_at IS NOT NULL ORDER BY slot DESC, id DESC LIMIT $1) AS last;

-- name: split ($1: id). While it is not split, what is expected of it.
SELECT id, state, scheme, fee_basis_points::float8 / 10000 AS fee,
       CASE WHEN state = 'pending' THEN (SELECT sum(amount) FROM split_of($1)) ELSE reward + fees END::text AS reward,
       (SELECT count(*)::int FROM split_of($1)) AS total
FROM block WHERE id = $1 AND state IS NOT NULL;

-- name: splitLines ($1: id, $2: offset, $3: how many)
SELECT nullif(a.name, '') AS account, s.amount::text AS "amount!" FROM split_of($1) AS s JOIN account a ON a.id = s.account_id
ORDER BY s.amount DESC, a.name OFFSET $2 LIMIT $3;

-- name: payouts ($1: how many, $2: before which id, $3: of which id, $4: of which name; null for all; $5: only those that are not settled)
SELECT b.id, b.name, t.state AS "state!", b.chain_id AS "chainId", t.payments AS "payments!", iso_of(b.prepared_at) AS "preparedAt!",
       iso_of(t.changed_at) AS "changedAt!", b.minimum::text AS minimum, b.note, t.total AS "total!", t.accounts AS "accounts!",
       o.settled AS "isSettled", b.hash, b.approvals, b.approval_why AS "approvalWhy", b.approved_by AS "approvedBy"
FROM payout b CROSS JOIN LATERAL payments_of(b.id) AS t
CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM payout_line l WHERE l.payout_id = b.id AND l.state IN ('prepared', 'unknown')) AS settled) AS o
WHERE ($2::bigint IS NULL OR b.id < $2) AND ($3::bigint IS NULL OR b.id = $3) AND ($4::text IS NULL OR b.name = $4)
  AND NOT ($5::bool AND o.settled) ORDER BY b.id DESC LIMIT $1;

-- name: payoutLines ($1: id, $2: offset, $3: how many)
SELECT a.name AS account, l.chain_id AS "chainId", l.amount::text AS amount, l.state, l.request_key AS "requestKey"
FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = $1 ORDER BY a.name OFFSET $2 LIMIT $3;

-- name: lineCount ($1: number of a payout, or null, $2: its name)
SELECT b.id, (SELECT count(*)::int FROM payout_line l WHERE l.payout_id = b.id) AS total FROM payout b WHERE b.id = $1::bigint OR b.name = $2;

-- name: lines ($1: id of a payout, $2: offset, $3: how many)
SELECT a.name AS account, l.chain_id AS "chainId", l.amount::text AS amount, l.state, l.request_key AS "requestKey", l.note, iso_of(l.changed_at) AS "changedAt!"
FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = $1 ORDER BY a.name OFFSET $2 LIMIT $3;
