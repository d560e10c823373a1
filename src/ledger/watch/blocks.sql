-- Blocks and payouts, a page at a time, as views have them.

-- name: blocks ($1: how many, $2: before which id, $3: state, $4: chain; null for all)
-- Solutions that a node may have taken.
SELECT s.id, b.state, s.chain_id AS "chainId", s.height::float8 AS height, encode(b.hash, 'hex') AS hash,
       CASE WHEN b.state <> 'orphaned' THEN greatest(0, (SELECT c.head_height FROM chain c WHERE c.id = s.chain_id) - s.height + 1)::float8 ELSE 0 END AS "depth",
       (b.reward + b.fees)::text AS reward, json_build_object('account', s.account, 'rig', s.rig) AS finder, s.node, s.detail, iso_of(s.found_at) AS "foundAt!",
       b.state = 'confirmed' AND b.reward IS NULL AND b.receiver IS NOT NULL AS "paysAnother",
       b.effort,
       (SELECT bridge_in_words(p.place, p.id) FROM log p
        WHERE b.solution_id IN (SELECT solution_id FROM unweighed_block) AND NOT p.ended
          AND (p.watermark < b.slot + interval '10 seconds' OR b.slot IS NULL AND p.id = s.log) ORDER BY p.watermark LIMIT 1) AS "waitsFor"
FROM block b JOIN solution s ON s.id = b.solution_id
WHERE ($2::bigint IS NULL OR b.solution_id < $2) AND ($3::text IS NULL OR b.state = $3) AND ($4::int IS NULL OR s.chain_id = $4)
ORDER BY b.solution_id DESC LIMIT $1;

-- name: solutions ($1: how many, $2: before which id, or null, $3: state, $4: chain, or null)
-- Those that no node can have taken.
SELECT s.id, s.state, s.chain_id AS "chainId", s.height::float8 AS height, '' AS hash, 0::float8 AS "depth", NULL::text AS reward,
       json_build_object('account', s.account, 'rig', s.rig) AS finder, s.node, s.detail, iso_of(s.found_at) AS "foundAt!", false AS "paysAnother", NULL::float8 AS effort, NULL::text AS "waitsFor"
FROM solution s
WHERE NOT EXISTS (SELECT FROM block b WHERE b.solution_id = s.id) AND s.state = $3
  AND ($2::bigint IS NULL OR s.id < $2) AND ($4::int IS NULL OR s.chain_id = $4)
ORDER BY s.id DESC LIMIT $1;

-- name: openRound. One row, or none.
SELECT ms_of(round_since) AS "sinceMs",
       ((SELECT coalesce(sum(w), 0) FROM unnest(round_work) AS w)
        + (SELECT coalesce(sum(w.work), 0) FROM rig_work w WHERE w.kind = 0 AND w.starts_at >= round_until))::text AS work
FROM settlement;

-- name: bestShare. One row, or none.
SELECT best AS difficulty, iso_of(best_at) AS at FROM rig WHERE best_at IS NOT NULL ORDER BY best DESC LIMIT 1;

-- name: lastRounds ($1: how many). What no node took, and is on no chain, was no block; the work until it counts.
SELECT count(*) FILTER (WHERE state = 'confirmed' OR taken)::int AS blocks, coalesce(sum(effort), 0) AS expected
FROM (SELECT b.state, b.effort, s.state = 'received' AS taken FROM block b JOIN solution s ON s.id = b.solution_id
      WHERE b.weighed_at IS NOT NULL ORDER BY b.slot DESC, b.solution_id DESC LIMIT $1) AS last;

-- name: split ($1: id). While it is not split, what is expected of it.
SELECT solution_id AS id, state, scheme, fee_basis_points::float8 / 10000 AS fee,
       CASE WHEN state = 'pending' THEN (SELECT sum(amount) FROM split_of($1)) ELSE reward + fees END::text AS reward,
       (SELECT count(*)::int FROM split_of($1)) AS total
FROM block WHERE solution_id = $1;

-- name: splitLines ($1: id, $2: offset, $3: how many)
SELECT nullif(a.name, '') AS account, s.amount::text AS "amount!" FROM split_of($1) AS s JOIN account a ON a.id = s.account_id
ORDER BY s.amount DESC, a.name OFFSET $2 LIMIT $3;

-- name: payouts ($1: how many, $2: before which id, $3: of which id, $4: of which name; null for all; $5: only those that are not settled)
SELECT b.id, b.name, t.state AS "state!", b.chain_id AS "chainId", t.payments AS "payments!", iso_of(b.prepared_at) AS "preparedAt!",
       iso_of(t.changed_at) AS "changedAt!", b.minimum::text AS minimum, b.note, t.total AS "total!", t.accounts AS "accounts!",
       o.settled AS "isSettled"
FROM payout b CROSS JOIN LATERAL payments_of(b.id) AS t
CROSS JOIN LATERAL (SELECT NOT EXISTS (SELECT FROM payout_line l WHERE l.payout_id = b.id AND l.state IN ('prepared', 'unknown')) AS settled) AS o
WHERE ($2::bigint IS NULL OR b.id < $2) AND ($3::bigint IS NULL OR b.id = $3) AND ($4::text IS NULL OR b.name = $4)
  AND NOT ($5::bool AND o.settled) ORDER BY b.id DESC LIMIT $1;

-- name: payoutLines ($1: id, $2: offset, $3: how many)
SELECT a.name AS account, l.amount::text AS amount, l.state, l.request_key AS "requestKey"
FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = $1 ORDER BY a.name OFFSET $2 LIMIT $3;

-- name: lineCount ($1: number of a payout, or null, $2: its name)
SELECT b.id, (SELECT count(*)::int FROM payout_line l WHERE l.payout_id = b.id) AS total FROM payout b WHERE b.id = $1::bigint OR b.name = $2;

-- name: lines ($1: id of a payout, $2: offset, $3: how many)
SELECT a.name AS account, l.chain_id AS "chainId", l.amount::text AS amount, l.state, l.request_key AS "requestKey", l.note, iso_of(l.changed_at) AS "changedAt!"
FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = $1 ORDER BY a.name OFFSET $2 LIMIT $3;
