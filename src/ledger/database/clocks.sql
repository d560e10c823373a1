-- name: now. Of the transaction.
SELECT now() AS now;

-- name: clock. As it is in this moment. Where there are no books too.
SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms;
