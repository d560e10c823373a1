-- Books that were restored.

-- name: hasMoney. Or what has become money since: of blocks that were found by then, or of shares.
SELECT EXISTS (SELECT FROM payout_line) OR EXISTS (SELECT FROM balance WHERE account_id > 0 AND amount <> 0) OR EXISTS (SELECT FROM log) AS has;

-- name: known ($1: name of a payout)
SELECT id FROM payout WHERE name = $1;

-- name: belowZero
SELECT name AS owner, due AS "amount!" FROM money JOIN account ON id = account_id WHERE due < 0 AND id > 0 ORDER BY due LIMIT 20;

-- name: renew. Whether payouts have names of this generation already.
INSERT INTO ledger DEFAULT VALUES ON CONFLICT (only_row) DO UPDATE SET generation = excluded.generation
RETURNING EXISTS (SELECT FROM payout WHERE name LIKE generation || '-%') AS used;

-- name: makeRoom ($1: table, $2: times)
SELECT need_partition($1, at) FROM unnest($2::timestamptz[]) AS at;
