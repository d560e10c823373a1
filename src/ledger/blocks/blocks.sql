-- Blocks of ours, and what becomes of them on their chains.

-- name: pendingAt ($1: chain, $2: height). Until the transaction ends.
SELECT b.solution_id AS id, b.hash, s.found_at AS "foundAt", s.height::float8 AS height FROM block b JOIN solution s ON s.id = b.solution_id
WHERE b.state = 'pending' AND s.chain_id = $1 AND s.height = $2 ORDER BY b.solution_id;

-- name: place ($1: id). When it was found, and where.
SELECT b.hash, s.found_at AS "foundAt", s.height::float8 AS height FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1;

-- name: confirm ($1: id, $2: whom it pays, $3: what, $4: fees, $5: what it brings, $6: where that is from; null for what is not known)
UPDATE block SET state = 'confirmed', receiver = $2, coinbase = $3::numeric, fees = coalesce($4::numeric, 0), reward = $5::numeric, reward_source = $6,
  due = true, changed_at = now()
WHERE solution_id = $1;

-- name: orphan ($1: id)
UPDATE block SET state = 'orphaned', due = true, changed_at = now() WHERE solution_id = $1;

-- name: pendingOf ($1: chain). All of it.
SELECT b.solution_id AS id FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.state = 'pending' AND s.chain_id = $1 ORDER BY 1;

-- name: named ($1: hash of proof of work). A solution that a log has named, whatever its node said.
SELECT id FROM solution WHERE pow_hash = $1 AND state <> 'unclaimed';

-- name: isOnChain ($1: solution, $2: hash). It had no block: its node refused it, or was never heard.
INSERT INTO block (solution_id, hash, slot) SELECT id, $2, slot_when_booked(log, found_at) FROM solution WHERE id = $1 ON CONFLICT DO NOTHING;

-- name: enter (as columns are, $10: hash of the block, $11: whom it pays, $12: what, $13: fees)
-- It pays us, and no log names it.
WITH entered AS (
  INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig, found_at, state, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', '', least($9, now()), 'unclaimed', '') ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO block (solution_id, hash, state, slot, receiver, coinbase, fees)
  SELECT id, $10, 'unclaimed', open_slot($9), $11, $12, $13 FROM entered RETURNING solution_id AS id;

-- name: reverse ($1: chain, $2: height, $3: hash). Back to what they were before this block was applied.
UPDATE block b SET state = 'pending', receiver = NULL, coinbase = NULL, fees = 0, reward = NULL, reward_source = NULL, due = true, changed_at = now()
FROM solution s JOIN block old ON old.solution_id = s.id
WHERE s.id = b.solution_id AND s.chain_id = $1 AND s.height = $2 AND (b.state = 'confirmed' AND b.hash = $3 OR b.state = 'orphaned')
RETURNING b.solution_id AS id, old.state = 'confirmed' AS "wasConfirmed";

-- name: withdraw ($1: chain, $2: height, $3: hash). What nobody has claimed was never ours alone.
WITH gone AS (
  DELETE FROM block b USING solution s WHERE s.id = b.solution_id AND s.chain_id = $1 AND s.height = $2 AND b.hash = $3 AND b.state IN ('unclaimed', 'disowned')
  RETURNING b.solution_id AS id
)
DELETE FROM solution WHERE id IN (SELECT id FROM gone);

-- name: claimable ($1: id). How it stands, until the transaction ends.
SELECT b.state, b.receiver, b.coinbase::text AS coinbase, b.fees::text AS fees, s.found_at AS "foundAt", s.height::float8 AS height
FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1 FOR UPDATE OF b;

-- name: claim ($1: id, $2: account). Its shares are those up to now: slots of then are closed.
WITH named AS (UPDATE solution SET account = $2, state = 'received' WHERE id = $1 RETURNING found_at)
UPDATE block SET slot = open_slot((SELECT found_at FROM named)) WHERE solution_id = $1;

-- name: disown ($1: id)
UPDATE block SET state = 'disowned', changed_at = now() WHERE solution_id = $1;

-- name: unpriced. Confirmed, and what they bring is not known.
SELECT b.solution_id AS id, b.receiver, b.coinbase::text AS coinbase, b.fees::text AS fees, s.found_at AS "foundAt", s.height::float8 AS height
FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.state = 'confirmed' AND b.reward IS NULL ORDER BY 1 LIMIT 1000;

-- name: price ($1: id, $2: what it brings, $3: where that is from)
UPDATE block SET reward = $2::numeric, reward_source = $3, due = true WHERE solution_id = $1 AND state = 'confirmed' AND reward IS NULL;

-- name: facts ($1: id). For the timeline.
SELECT s.chain_id AS "chainId", s.height::float8 AS height, encode(b.hash, 'hex') AS hash, s.node, s.account, s.rig,
       coalesce(b.reward, b.coinbase)::text AS reward
FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1;
