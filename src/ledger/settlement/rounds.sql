-- Rounds of `prop`.

-- name: before ($1: slot). The slot of the last block before it that counts, and whether a round waits between the two.
SELECT before, EXISTS (SELECT FROM block WHERE scheme = 'prop' AND slot > before AND slot < $1) AS waits
FROM (SELECT coalesce(max(slot), 'epoch') AS before FROM block WHERE slot < $1 AND state IN ('pending', 'confirmed')) AS last;

-- name: weights (after $1, and before $2). All blocks of a slot have the same round.
SELECT u.account::text AS "account!", sum(u.work)::text AS "work!" FROM (
  SELECT DISTINCT ON (slot) id FROM block WHERE scheme = 'prop' AND slot > $1 AND slot < $2 ORDER BY slot, id) b
JOIN block_weight w ON w.block_id = b.id, unnest(w.accounts, w.work) AS u (account, work) GROUP BY 1;

-- name: workOf ($1: slot). All of the round that ends with it.
SELECT coalesce(sum(round_work), 0)::text AS work FROM block WHERE slot = $1;

-- name: hasUndecided ($1: slot, $2: scheme)
SELECT EXISTS (SELECT FROM block WHERE slot < $1 AND state = 'pending' AND (scheme = 'prop' OR $2 = 'prop')) AS has;

-- name: markDependants ($1: block)
WITH changed AS (SELECT slot FROM block WHERE id = $1)
UPDATE block SET due = true WHERE NOT due AND id IN (
  SELECT id FROM block WHERE slot > (SELECT slot FROM changed) AND state = 'confirmed' AND split_from IS NULL
  UNION ALL
  SELECT id FROM block WHERE slot = (
    SELECT min(slot) FROM block WHERE slot > (SELECT slot FROM changed) AND state IN ('pending', 'confirmed')));
