-- Roots: what each account did in all up to a time.

-- name: base. From which the others are counted.
SELECT until, accounts AS "accounts!", work::text[] AS "work!", shares::text[] AS "shares!" FROM root ORDER BY until DESC LIMIT 1;

-- name: isThere ($1: until when)
SELECT FROM root WHERE until = $1;

-- name: last
SELECT number, text FROM root ORDER BY number DESC LIMIT 1;

-- name: poolKey ($1: a key). That of the last root, and whether any was signed by this one. No row before the first.
SELECT key, EXISTS (SELECT FROM root o WHERE o.key = $1) AS "isOurs" FROM root ORDER BY number DESC LIMIT 1;

-- name: names ($1: accounts)
SELECT id, name FROM account WHERE id = ANY($1);

-- name: write ($1: number, $2: until when, $3: text, $4: key, $5: signature, $6: seed, $7: accounts, $8: their work, $9: their shares)
INSERT INTO root (number, until, text, key, signature, seed, accounts, work, shares) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: forget ($1: milliseconds). Proofs, of no split that is kept, and never of the last one.
UPDATE root SET seed = NULL, accounts = NULL, work = NULL, shares = NULL
WHERE seed IS NOT NULL AND until < (SELECT max(until) FROM root) AND until < least(
  now() - lasting_ms($1), (SELECT min(coalesce(b.window_edge, b.window_whole, CASE WHEN b.split_from > 'epoch' THEN b.split_from + interval '10 seconds' END, b.slot))
                              FROM block b JOIN block_weight w ON w.block_id = b.id));

-- name: listed ($1: before which number, null for the last ones, $2: how many). The latest first.
SELECT number, iso_of(until) AS "until!", iso_of(made_at) AS "madeAt!", text, key, signature FROM root
WHERE $1::int IS NULL OR number < $1 ORDER BY number DESC LIMIT $2;

-- name: kept ($1: number). With what proofs are made of.
SELECT seed, accounts AS "accounts!", work::text[] AS "work!", shares::text[] AS "shares!" FROM root WHERE number = $1 AND seed IS NOT NULL;

-- name: idOf ($1: name)
SELECT id FROM account WHERE id = account_of($1);

-- name: splits ($1: account, $2: how many). The latest blocks that were split, while that is kept one by one, and what it got of each.
SELECT b.id::text AS id, b.chain_id AS "chainId", b.height::float8 AS height, b.hash, iso_of(b.found_at) AS "foundAt!", b.scheme AS "scheme!",
       (b.reward + b.fees)::text AS "amount!", b.window_work::text AS "windowWork", iso_of(b.slot + interval '10 seconds') AS "until!",
       iso_of(b.window_whole) AS "wholeFrom", iso_of(b.window_edge) AS "edgeFrom",
       CASE WHEN b.split_from > 'epoch' THEN iso_of(b.split_from + interval '10 seconds') END AS "roundFrom", b.split_from < b.slot AS "paysRounds!",
       (SELECT max(block_difficulty) FROM block o WHERE o.slot = b.slot)::text AS "difficulty!",
       coalesce((SELECT basis_points FROM account_fee WHERE account_id = account_of($1) AND valid_from <= least(b.found_at, b.slot)
                 ORDER BY valid_from DESC LIMIT 1), b.fee_basis_points) AS "feeBasisPoints!",
       coalesce((SELECT sum(t.amount) FROM transfer t
                 WHERE t.code = 'block' AND t.of = b.id AND t.time = b.splits AND t.credit = account_of($1)), 0)::numeric(38, 12)::text AS credited
FROM block b JOIN block_weight w ON w.block_id = b.id
WHERE b.split_from IS NOT NULL AND b.state = 'confirmed'
  AND EXISTS (SELECT FROM transfer t WHERE t.code IN ('block', 'fee') AND t.of = b.id AND t.time = b.splits)
ORDER BY b.id DESC LIMIT $2;
