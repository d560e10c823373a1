-- Chains that are followed.

-- name: chains ($1: milliseconds). Those that were ever seen, and who looked at them within that time. pending: heights of blocks of ours.
SELECT c.id, c.genesis, c.skip_to AS "skipTo", c.followed_at BETWEEN now() - lasting_ms($1) AND now() AND c.trouble = '' AND c.behind = 0 AS "isFresh!",
       b.height::float8 AS height, b.hash, b.weight::text AS weight, b.work::text AS work, b.time_micros::text AS "timeMicros",
       b.epoch_start_micros::text AS "epochStartMicros",
       ARRAY(SELECT k.height::int FROM block k WHERE k.state = 'pending' AND k.chain_id = c.id) AS pending
FROM chain c LEFT JOIN chain_block b ON b.chain_id = c.id AND b.hash = c.cursor ORDER BY c.id;

-- name: know ($1: chain, $2: network, $3: head). It is not followed yet.
INSERT INTO chain (id, network, head_height, trouble) VALUES ($1, $2, $3, 'nobody has looked at it yet') ON CONFLICT DO NOTHING;

-- name: lock ($1: chain). Nobody else moves its cursor until the transaction ends.
SELECT cursor, trouble FROM chain WHERE id = $1 FOR UPDATE;

-- name: oldestPending ($1: chain)
SELECT min(height)::float8 AS height FROM block WHERE state = 'pending' AND chain_id = $1;

-- name: begin ($1: chain, $2: its first block; $3 to $8: the block that it is followed from)
WITH begun AS (
  UPDATE chain SET genesis = $2, begun_at = $3, cursor = $4, trouble = '', followed_at = now() WHERE id = $1 AND cursor IS NULL RETURNING id
)
INSERT INTO chain_block (chain_id, height, hash, weight, work, time_micros, epoch_start_micros)
  SELECT id, $3, $4, $5, $6, $7, $8 FROM begun;

-- name: advance ($1: chain, $2: its cursor; $3 to $8: blocks on top, the last of them the next cursor; $9: how many are kept; $10: the head;
-- $11: blocks that are to come; $12: what a block pays, or null). Nothing where another bridge has moved the cursor.
WITH moved AS (
  UPDATE chain SET cursor = ($4::text[])[cardinality($4)], head_height = $10, behind = $11, reward = coalesce($12::numeric, reward), followed_at = now(),
    trouble = '', skip_to = CASE WHEN skip_to = ANY ($4) THEN NULL ELSE skip_to END
  WHERE id = $1 AND cursor = $2 RETURNING id
), old AS (
  DELETE FROM chain_block WHERE chain_id IN (SELECT id FROM moved) AND height <= ($3::bigint[])[cardinality($3)] - $9
)
INSERT INTO chain_block (chain_id, height, hash, weight, work, time_micros, epoch_start_micros)
  SELECT moved.id, u.* FROM moved, unnest($3::bigint[], $4::text[], $5::numeric[], $6::numeric[], $7::bigint[], $8::bigint[]) AS u;

-- name: areWell ($1: chains, $2: their heads)
UPDATE chain SET head_height = u.head, behind = 0, followed_at = now(), trouble = ''
FROM unnest($1::int[], $2::bigint[]) AS u (id, head) WHERE chain.id = u.id;

-- name: stands ($1: chain, $2: why, $3: milliseconds). Unless another bridge has gone on with it meanwhile.
UPDATE chain SET trouble = $2 WHERE id = $1 AND (trouble <> '' OR genesis IS NULL OR followed_at < now() - lasting_ms($3));

-- name: kept ($1: chain). Its blocks, from the lowest that is kept on. isFirst: it was followed from there.
SELECT b.height::float8 AS height, b.hash, b.height = c.begun_at AS "isFirst!" FROM chain_block b JOIN chain c ON c.id = b.chain_id WHERE c.id = $1 ORDER BY b.height;

-- name: settledBelow ($1: chain, $2: height). Ours that were recorded late; hash: Base64Url.
SELECT height::float8 AS height, translate(rtrim(encode(hash, 'base64'), '='), '+/', '-_') AS "hash!" FROM block
WHERE state IN ('confirmed', 'orphaned') AND chain_id = $1 AND block.height < $2 ORDER BY block.height;

-- name: late ($1: chain). Ours that came into the books after their height was passed.
SELECT k.id, k.height::float8 AS height, k.hash, k.header FROM block k
WHERE k.state = 'pending' AND k.chain_id = $1 AND k.height <= (SELECT height FROM chain_block b JOIN chain c ON c.id = b.chain_id AND c.cursor = b.hash WHERE c.id = $1)
ORDER BY k.height LIMIT 100;

-- name: undo ($1: chain, $2: height of the next cursor)
WITH gone AS (DELETE FROM chain_block WHERE chain_id = $1 AND height > $2)
UPDATE chain SET cursor = (SELECT hash FROM chain_block WHERE chain_id = $1 AND height = $2), trouble = '', followed_at = now() WHERE id = $1;

-- name: skip ($1: chain, $2: up to which block)
UPDATE chain SET skip_to = $2 WHERE id = $1;

-- name: forget ($1: chain)
WITH gone AS (DELETE FROM chain_block WHERE chain_id = $1)
UPDATE chain SET genesis = NULL, begun_at = NULL, cursor = NULL, reward = NULL, skip_to = NULL, behind = 0, trouble = 'it is begun anew' WHERE id = $1;

-- name: shown. Where each stands; one that nobody looks at stands still, too.
SELECT c.id AS "chainId", c.network, b.height::float8 AS height, b.hash, c.head_height::float8 AS "headHeight", c.behind, iso_of(c.followed_at) AS "followedAt!",
       CASE WHEN c.trouble = '' AND c.followed_at < now() - interval '10 minutes' THEN 'it was not looked at since ' || iso_of(c.followed_at) || ': start a bridge'
            ELSE c.trouble END AS "trouble!", c.reward::text AS expected
FROM chain c LEFT JOIN chain_block b ON b.chain_id = c.id AND b.hash = c.cursor ORDER BY c.id;
