-- Books that were restored.

-- name: hasMoney
SELECT EXISTS (SELECT FROM payment) OR EXISTS (SELECT FROM money WHERE account_id <> 0 AND amount <> 0) AS has;

-- name: known ($1: name of a payout, $2: its number where it is told by that, else null)
SELECT id FROM payout WHERE name = $1 OR id::text = $2 ORDER BY name = $1 DESC LIMIT 1;

-- name: belowZero
SELECT name AS owner, amount FROM balance JOIN account ON id = account_id WHERE book = 'balance' AND amount < 0 AND id <> 0
ORDER BY amount LIMIT 20;

-- name: keepFormer
INSERT INTO former_ledger (id) SELECT id FROM ledger ON CONFLICT DO NOTHING;

-- name: renew. These are other books from now on. Whether payouts have names of theirs already.
INSERT INTO ledger DEFAULT VALUES ON CONFLICT (only_row) DO UPDATE SET id = excluded.id, generation = excluded.generation
RETURNING EXISTS (SELECT FROM payout WHERE name LIKE generation || '-%') AS used;

-- name: makeRoom ($1: table, $2: times)
SELECT need_partition($1, at) FROM unnest($2::timestamptz[]) AS at;

-- name: formerParts
SELECT id, part FROM set_aside;

-- name: takeFormerPart ($1: id, $2: sums, $3: shares, $4: work)
-- What was set aside had been acknowledged, and a producer of then says nothing of it.
WITH part AS (UPDATE set_aside SET part = $2, shares = $3, work = $4 WHERE id = $1 RETURNING producer)
INSERT INTO producer (id, declared_shares, declared_work, ended) SELECT producer, $3, $4, true FROM part
ON CONFLICT (id) DO UPDATE SET declared_shares = producer.declared_shares + $3, declared_work = producer.declared_work + $4;
