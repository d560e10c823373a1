-- Bridges on these books: who leads, and their numbers.

-- name: lead ($1: number of the lock)
SELECT pg_try_advisory_lock($1) AS "leads!";

-- name: lease ($1: owner, $2: run, $3: place, $4: number that is wanted, or null, $5: only that)
SELECT lease_instance($1, $2, $3, $4, $5, '60 seconds') AS number;

-- name: renew ($1: number, $2: owner, $3: run, $4: by what it signs sessions, or null)
UPDATE bridge SET heard_at = now(), signs = $4 WHERE number = $1 AND owner = $2 AND run = $3;

-- name: signers
SELECT signs FROM bridge WHERE signs IS NOT NULL ORDER BY number;

-- name: release ($1: owner, $2: run)
DELETE FROM bridge WHERE owner = $1 AND run = $2;

-- name: holder ($1: number)
SELECT place, extract(epoch FROM now() - heard_at)::int AS seconds FROM bridge WHERE number = $1;
