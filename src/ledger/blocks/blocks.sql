-- Blocks that are followed on their chain.

-- name: followed ($1: how many, $2: milliseconds of rest, $3: true for those that were never looked at alone)
-- The longest not looked at first. Those that are settled but for a deep reorganisation come again only after a rest.
SELECT b.solution_id AS "solutionId", s.node, s.chain_id AS "chainId", s.height::float8 AS height, b.hash, s.header, s.found_at AS "foundAt",
       b.state, b.tip_height::float8 AS "tipHeight", b.reward IS NOT NULL AS "isPriced", ms_of(now()) - ms_of(b.changed_at) AS "unchangedMs"
FROM block b JOIN solution s ON s.id = b.solution_id
WHERE NOT b.settled AND (b.checked_at IS NULL OR NOT $3 AND (b.state IN ('pending', 'onChain') OR b.checked_at <= now() - lasting_ms($2)))
ORDER BY b.checked_at NULLS FIRST, b.solution_id LIMIT $1;

-- name: again ($1: after which, $2: how many, $3: settled ones too; else those that payouts depend on and that may still leave the chain)
SELECT b.solution_id AS "solutionId", s.node, s.chain_id AS "chainId", s.height::float8 AS height, b.hash, s.header, s.found_at AS "foundAt",
       b.state, b.tip_height::float8 AS "tipHeight", b.reward IS NOT NULL AS "isPriced", ms_of(now()) - ms_of(b.changed_at) AS "unchangedMs"
FROM block b JOIN solution s ON s.id = b.solution_id
WHERE b.solution_id > $1 AND ($3 OR b.solution_id IN (SELECT solution_id FROM unsettled_payers())) ORDER BY b.solution_id LIMIT $2;

-- name: noteTip ($1: height)
INSERT INTO tip (height) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET height = greatest(tip.height, excluded.height);

-- name: stands ($1: id). How it stands in the books, until the transaction ends.
SELECT state, reward IS NOT NULL AS "isPriced", reward_source IS NOT DISTINCT FROM 'another' AS "paysAnother" FROM block WHERE solution_id = $1 FOR UPDATE;

-- name: write ($1: id, $2: state, $3: depth, $4: tip, $5: settled, $6: seen now, $7: due, $8 to $10: reward, fees and where from, or null)
-- What pays another account (its source) has no reward.
UPDATE block SET state = $2, depth = $3, tip_height = greatest(tip_height, $4), settled = $5, checked_at = now(),
  seen_at = CASE WHEN $6 THEN now() ELSE seen_at END, changed_at = CASE WHEN state = $2 THEN changed_at ELSE now() END,
  due = due OR $7, reward = coalesce(reward, $8::numeric), fees = coalesce($9::numeric, fees),
  reward_source = coalesce($10, reward_source)
WHERE solution_id = $1;

-- name: facts ($1: id). For the timeline.
SELECT s.chain_id AS "chainId", s.height::float8 AS height, encode(b.hash, 'hex') AS hash, s.node, s.account, s.rig, b.reward::text AS reward
FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1;

-- name: unseen ($1: since when, $2: how many). Those that balances come from, and that were not seen on the chain since then.
SELECT s.chain_id AS "chainId", s.height, count(*) OVER () AS count FROM unsettled_payers() b JOIN solution s ON s.id = b.solution_id
WHERE coalesce(b.seen_at, '-infinity') < $1 ORDER BY s.height, s.chain_id LIMIT $2;
