-- Blocks of ours, and what becomes of them on their chains.

-- name: pendingAt ($1: chain, $2: height). Until the transaction ends.
SELECT id, hash, found_at AS "foundAt", height::float8 AS height FROM block WHERE state = 'pending' AND chain_id = $1 AND block.height = $2 ORDER BY id;

-- name: confirm ($1: id, $2: whom it pays, $3: what, $4: fees, $5: what it brings, $6: where that is from; null for what is not known)
UPDATE block SET state = 'confirmed', receiver = $2, coinbase = $3::numeric, fees = coalesce($4::numeric, 0), reward = $5::numeric, reward_source = $6,
  due = true, changed_at = now()
WHERE id = $1;

-- name: orphan ($1: id)
UPDATE block SET state = 'orphaned', due = true, changed_at = now() WHERE id = $1;

-- name: pendingOf ($1: chain). All of it.
SELECT id FROM block WHERE state = 'pending' AND chain_id = $1 ORDER BY id;

-- name: named ($1: hash of proof of work). What a log has named, whatever its node said.
SELECT id, found_at AS "foundAt", height::float8 AS height FROM block WHERE pow_hash = $1 AND said IS NOT NULL;

-- name: isOnChain ($1: id). It may have been no block so far: its node refused it, or was never heard.
UPDATE block SET state = 'pending', slot = slot_when_booked(log, found_at), changed_at = now() WHERE id = $1 AND state IS NULL;

-- name: enter (as columns are; $10: when it was found, $11: whom it pays, $12: what, $13: fees)
-- It pays us, and no log names it.
INSERT INTO block (pow_hash, hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, found_at, state, slot, receiver, coinbase, fees)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, least($10, now()), 'unclaimed', open_slot($10), $11, $12, $13) ON CONFLICT DO NOTHING RETURNING id;

-- name: reverse ($1: chain, $2: height, $3: hash). Back to what they were before this block was applied.
UPDATE block b SET state = 'pending', receiver = NULL, coinbase = NULL, fees = 0, reward = NULL, reward_source = NULL, due = true, changed_at = now()
FROM block old
WHERE old.id = b.id AND b.chain_id = $1 AND b.height = $2 AND (b.state = 'confirmed' AND b.hash = $3 OR b.state = 'orphaned')
RETURNING b.id, old.state = 'confirmed' AS "wasConfirmed!";

-- name: withdraw ($1: chain, $2: height, $3: hash). What nobody has claimed was never ours alone.
DELETE FROM block WHERE chain_id = $1 AND height = $2 AND hash = $3 AND state IN ('unclaimed', 'disowned');

-- name: claimable ($1: id). How it stands, until the transaction ends.
SELECT state, receiver, coinbase::text AS coinbase, fees::text AS fees, found_at AS "foundAt", height::float8 AS height
FROM block WHERE id = $1 AND state IS NOT NULL FOR UPDATE;

-- name: claim ($1: id, $2: account). Its shares are those up to now: slots of then are closed.
UPDATE block SET account = $2, said = 'received', slot = open_slot(found_at) WHERE id = $1;

-- name: disown ($1: id)
UPDATE block SET state = 'disowned', changed_at = now() WHERE id = $1;

-- name: unpriced. Confirmed, and what they bring is not known.
SELECT id, receiver, coinbase::text AS coinbase, fees::text AS fees, found_at AS "foundAt", height::float8 AS height
FROM block WHERE state = 'confirmed' AND reward IS NULL ORDER BY id LIMIT 1000;

-- name: price ($1: id, $2: what it brings, $3: where that is from)
UPDATE block SET reward = $2::numeric, reward_source = $3, due = true WHERE id = $1 AND state = 'confirmed' AND reward IS NULL;

-- name: facts ($1: id). For the timeline.
SELECT chain_id AS "chainId", height::float8 AS height, encode(hash, 'hex') AS hash, node, account, rig, coalesce(reward, coinbase)::text AS reward
FROM block WHERE id = $1;
