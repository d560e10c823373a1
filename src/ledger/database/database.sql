-- What the database is asked of itself, with books or without.

-- name: server. The lock timeout is of the connection.
SELECT current_setting('server_version_num')::int AS "version!", current_setting('server_version') AS "name!",
       (SELECT setting FROM pg_settings WHERE name = 'lock_timeout')::int AS "lockMs!";

-- name: setting ($1: name)
SELECT current_setting($1) AS "value!";

-- name: connections
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS "most!",
       count(*)::int AS used, count(*) FILTER (WHERE pid = pg_backend_pid())::int AS own
FROM pg_stat_activity WHERE backend_type = 'client backend';

-- name: mayMakeBooks
SELECT has_database_privilege(current_database(), 'CREATE') AS "may!";

-- name: has ($1: table, with its schema)
SELECT to_regclass($1) IS NOT NULL AS there;

-- name: partitioned ($1: schema). Tables whose rows lie in partitions, which are made for them by `need_partition`.
SELECT relname::text AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'p' AND NOT relispartition;

-- name: tables ($1: schema). All but the one that says what made them and those that hold nothing that lasts, with those that they refer to.
SELECT t.relname::text AS name, coalesce(array_agg(f.relname::text) FILTER (WHERE f.oid IS NOT NULL), '{}') AS needs
FROM pg_class t LEFT JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype = 'f'
LEFT JOIN pg_class f ON f.oid = c.confrelid AND f.oid <> t.oid
WHERE t.relnamespace = $1::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND t.relname <> 'made' AND t.relpersistence = 'p'
  AND NOT EXISTS (SELECT FROM pg_class p WHERE p.relnamespace = t.relnamespace AND p.relkind = 'p' AND t.relname ~ ('^' || p.relname || '_\d'))
GROUP BY t.relname ORDER BY t.relname;

-- name: columns ($1: table, with its schema)
SELECT attname::text AS name, format_type(atttypid, atttypmod) AS "type!", attidentity <> '' AS "isIdentity"
FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
