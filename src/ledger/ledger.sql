-- name: totals. Always one row.
SELECT coalesce(sum(shares), 0)::float8 AS shares, coalesce(sum(work), 0) AS work FROM log;
