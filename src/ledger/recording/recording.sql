-- Entries on their way into the books, and parts of them that were refused.

-- name: record ($1: entries, $2: their sums, $3: solutions in them). Places of those that were not booked before, and of those of which others are.
SELECT recorded AS "recorded!", conflicting AS "conflicting!" FROM record_entries($1, $2, $3);

-- name: setAside ($1: log, $2: number, $3: shares, $4: work, $5: sums, $6: the database's words)
INSERT INTO unbooked (log, number, last_number, shares, work, part, error) VALUES ($1, $2, $2, $3, $4, $5, $6);

-- name: countParts
SELECT count(*)::int AS parts FROM unbooked WHERE given_up_by IS NULL;

-- name: parts ($1: how many). Oldest first.
SELECT id, log, shares, work, part AS "part!", error AS "error!", set_aside_at FROM unbooked WHERE given_up_by IS NULL ORDER BY id LIMIT $1;

-- name: takePart ($1: id)
DELETE FROM unbooked WHERE id::text = $1 AND given_up_by IS NULL
RETURNING id, log, shares, work, part AS "part!", error AS "error!", set_aside_at;

-- name: bookPart ($1: log, $2: sums)
SELECT book_part($1, $2);

-- name: giveUpPart ($1: id, $2: by whom)
UPDATE unbooked SET given_up_by = $2, given_up_at = now() WHERE id::text = $1 AND given_up_by IS NULL
RETURNING id, log, shares, work, part AS "part!", error AS "error!", set_aside_at;
