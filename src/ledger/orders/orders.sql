-- Orders that hold at all bridges on these books until they are taken back.

-- name: give ($1: kind, $2: about, $3: given when, $4: what it says, or null, $5: whether it is told late)
SELECT give_order($1, $2, $3, $4, $5) AS given;

-- name: tell ($1: channel, $2: what)
SELECT pg_notify($1, $2)::text AS told;

-- name: alive ($1: number of who asks). The others.
SELECT number FROM bridge WHERE number <> $1 AND heard_at > now() - interval '60 seconds' ORDER BY number;

-- name: after ($1: number). In the order in which they came.
SELECT number, kind, about, says FROM operator_order WHERE number > $1 ORDER BY number;
