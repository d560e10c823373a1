-- What bridges on these books show each other.

-- name: look ($1: number of who looks, as text). Told to all bridges.
SELECT pg_notify('stratum_bridge_look', $1::text)::text AS told;

-- name: others ($1: number of who looks). Those that are alive, with the age of what they have shown last.
SELECT number, place, shown_at::text AS version, extract(epoch FROM clock_timestamp() - shown_at)::float8 * 1000 AS "ageMs"
FROM bridge LEFT JOIN bridge_view USING (number)
WHERE number <> $1 AND heard_at > now() - interval '60 seconds' ORDER BY number;

-- name: views ($1: numbers)
SELECT number, shown_at::text AS version, view FROM bridge_view WHERE number = ANY($1);

-- name: show ($1: number, $2: view). Told to those that look.
WITH shown AS (
  INSERT INTO bridge_view (number, view) SELECT number, $2 FROM bridge WHERE number = $1
  ON CONFLICT (number) DO UPDATE SET shown_at = clock_timestamp(), view = EXCLUDED.view RETURNING number)
SELECT pg_notify('stratum_bridge_view', number::text)::text AS told FROM shown;
