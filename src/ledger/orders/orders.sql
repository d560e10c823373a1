-- Orders that hold at all bridges on these books until they are taken back.

-- name: give ($1: kind, $2: about, $3: given when, $4: what it says, or null, $5: whether it is told late)
SELECT give_order($1, $2, $3, $4, $5) AS given;

-- name: after ($1: number). In the order in which they came.
SELECT number, kind, about, says FROM operator_order WHERE number > $1 ORDER BY number;
