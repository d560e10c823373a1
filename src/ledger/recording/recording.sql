-- Entries on their way into the books, and parts of them that were refused.

-- name: record ($1: entries, $2: their sums, $3: solutions in them). Places of those that were not booked before, and of those of which others are.
SELECT recorded AS "recorded!", conflicting AS "conflicting!" FROM record_entries($1, $2, $3);

-- name: setAside ($1: log, $2: number, $3: shares, $4: work, $5: sums, $6: the database's words)
INSERT INTO set_aside (log, number, shares, work, part, error) VALUES ($1, $2, $3, $4, $5, $6);

-- name: countParts
SELECT count(*)::int AS parts FROM set_aside;

-- name: parts ($1: how many). Oldest first.
SELECT * FROM set_aside ORDER BY id LIMIT $1;

-- name: takePart ($1: id)
DELETE FROM set_aside WHERE id::text = $1 RETURNING *;

-- name: bookPart ($1: log, $2: sums)
SELECT book_part($1, $2);

-- name: giveUpPart ($1: log, $2: number, $3: shares, $4: work, $5: by whom)
INSERT INTO given_up (log, number, last_number, is_whole, shares, work, given_up_by) VALUES ($1, $2, $2, false, $3, $4, $5);
