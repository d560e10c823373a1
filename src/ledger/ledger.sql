-- name: writeSolution (as its columns are, $15: hash of the block)
-- A last word is never taken back by a late 'found', nor a node's yes by anything. What a node may have taken is followed as a block, all
-- in one statement, so that no crash leaves the one without the other. What was seen on its chain before its log named it has a finder now.
WITH written AS (
  INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty,
                        node, account, rig, found_at, state, detail)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, least($12, now()), $13, $14)
  ON CONFLICT (pow_hash) DO UPDATE SET state = excluded.state, detail = excluded.detail, changed_at = now(), node = excluded.node,
    account = excluded.account, rig = excluded.rig, found_at = excluded.found_at
  WHERE excluded.state <> 'found' AND solution.state <> 'received'
  RETURNING id, state
)
INSERT INTO block (solution_id, hash, slot)
  SELECT id, $15, open_slot($12) FROM written WHERE state IN ('received', 'perhaps', 'lost')
ON CONFLICT (solution_id) DO UPDATE SET state = 'pending', slot = excluded.slot, changed_at = now()
WHERE block.state IN ('unclaimed', 'disowned');

-- name: totals. Always one row.
SELECT coalesce(sum(shares), 0)::float8 AS shares, coalesce(sum(work), 0) AS work FROM producer;
