-- name: post ($1: period, null for that of now, $2: cause, $3: accounts, $4: books, $5: amounts)
SELECT post($1, $2, $3, $4, $5);
