-- Alerts.

-- name: countOpen
SELECT count(*)::int AS open FROM alert WHERE resolved_at IS NULL;

-- name: open ($1: how many, $2: conditions, null for all)
SELECT * FROM alert WHERE resolved_at IS NULL AND ($2::text[] IS NULL OR condition = ANY ($2))
ORDER BY id DESC LIMIT $1;

-- name: resolved ($1: how many, $2: conditions, $3: before which id, $4: since when; null for all)
SELECT * FROM alert WHERE resolved_at IS NOT NULL AND ($2::text[] IS NULL OR condition = ANY ($2))
  AND ($3::bigint IS NULL OR id < $3) AND ($4::timestamptz IS NULL OR resolved_at >= $4)
ORDER BY id DESC LIMIT $1;

-- name: payable ($1: minimum)
SELECT count(*)::int AS accounts, trim_scale(coalesce(sum(due), 0))::text AS "total!",
       (SELECT ms_of(now()) - ms_of(max(prepared_at)) FROM payout) AS "sinceMs"
FROM money JOIN account ON id = account_id WHERE id > 0 AND due >= coalesce(minimum_payout, $1::numeric);

-- name: unweighed
-- The log that is known up to the earliest time is the one that is waited for.
SELECT count(*)::int AS blocks, coalesce(ms_of(now()) - ms_of(min(slot)), 0)::float8 AS "oldestMs",
       (SELECT place FROM log WHERE NOT ended ORDER BY watermark LIMIT 1) AS place
FROM unweighed_block;

-- name: unclaimed
SELECT count(*)::int AS blocks, coalesce(ms_of(now()) - ms_of(min(changed_at)), 0)::float8 AS "oldestMs" FROM block WHERE state = 'unclaimed';

-- name: lock
SELECT pg_advisory_xact_lock(alerts_lock());

-- name: keepWatch
UPDATE alert_watch SET watched_at = now(), watching_since = looked_since();

-- name: standing ($1: bridge)
-- What another bridge has found counts for a minute without being found again; what all see alike for three looks. Many alerts of one
-- condition within ten minutes are told as one.
SELECT *, opened_at > now() - interval '10 minutes' AS recent,
       seen_by_others(found_by, $1, '1 minute') AS "seen!", seen_by_others(found_by, $1, '15 seconds') AS "lately!"
FROM alert WHERE resolved_at IS NULL;

-- name: confirm ($1: bridge, $2: ids, $3: what is said)
UPDATE alert a SET reported_at = now(), says = f.says, found_by = found_by || jsonb_build_object($1::uuid, now())
FROM unnest($2::bigint[], $3::text[]) AS f (id, says) WHERE a.id = f.id;

-- name: withdraw ($1: bridge, $2: ids)
UPDATE alert SET found_by = found_by - $1 WHERE id = ANY ($2::bigint[]);

-- name: over ($1: bridge, $2: conditions that are switched off)
-- Of conditions that are switched off, here and at all that found them lately; and what nobody speaks of any more, as when a node was
-- taken out of the settings.
SELECT a.id::float8 AS id, a.condition = ANY ($2::text[]) AS "off!" FROM alert a, alert_watch w
WHERE a.resolved_at IS NULL AND (a.condition = ANY ($2) AND NOT seen_by_others(a.found_by, $1, '1 minute')
  OR a.reported_at < now() - interval '1 hour' AND w.watching_since < now() - interval '1 hour');

-- name: endTold ($1: condition, $2: about, $3: opened at, $4: resolved at or null, $5: what is said then)
-- The moment in which it was opened names an alert that was told while the ledger was away.
UPDATE alert SET resolved_at = $4::timestamptz, resolved_says = $5
WHERE condition = $1::text AND about = $2::text AND opened_at = $3::timestamptz AND $4::timestamptz IS NOT NULL AND resolved_at IS NULL
RETURNING *;

-- name: keepTold (the same, and $6: severity, $7: what is said)
INSERT INTO alert (condition, about, severity, says, opened_at, resolved_at, resolved_says)
  SELECT $1::text, $2::text, $6::text, $7::text, $3::timestamptz, $4::timestamptz, $5::text
  WHERE NOT EXISTS (SELECT FROM alert WHERE condition = $1::text AND about = $2::text AND opened_at = $3::timestamptz)
ON CONFLICT (condition, about) WHERE resolved_at IS NULL DO NOTHING RETURNING *;

-- name: insert ($1: condition, $2: about, $3: severity, $4: what is said, $5: it is over already, $6: bridge)
INSERT INTO alert (condition, about, severity, says, resolved_at, found_by)
VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END, jsonb_build_object($6::uuid, now()))
ON CONFLICT (condition, about) WHERE resolved_at IS NULL DO NOTHING RETURNING *;

-- name: tellAgain ($1: milliseconds after it was told last)
UPDATE alert SET told_at = now()
WHERE resolved_at IS NULL AND told_at < now() - lasting_ms($1) RETURNING *;

-- name: resolve ($1: ids, $2: what is said then)
UPDATE alert a SET resolved_at = now(), resolved_says = f.says FROM unnest($1::bigint[], $2::text[]) AS f (found, says)
WHERE a.id = f.found AND resolved_at IS NULL RETURNING a.*;

-- name: prune ($1: how many are kept of each condition; $2: how many go at once)
DELETE FROM alert WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY condition ORDER BY id DESC) AS place
    FROM alert WHERE resolved_at IS NOT NULL) a
  WHERE place > $1 ORDER BY id LIMIT $2);

-- name: pruneRigs
DELETE FROM alert_rig WHERE seen_at < now() - interval '30 days';

-- name: tooMany ($1: conditions, $2: how many of one lately)
-- A development chain has a block a second: those that come while there were too many lately wait, and are told as one.
SELECT EXISTS (
  SELECT FROM alert WHERE condition = ANY ($1) AND opened_at > now() - interval '10 minutes'
  GROUP BY condition HAVING count(*) >= $2) AS are;

-- name: events ($1: kinds, $2: how many, $3: up to which line)
-- From where any bridge has stopped reading. Older ones are no news: alerts were switched off, or the bridge was.
SELECT h.id, h.kind, h.says, h.facts FROM event h, alert_watch w
WHERE h.id > w.last_line AND h.id <= $3::bigint AND h.kind = ANY ($1) AND h.happened_at > now() - interval '1 day' ORDER BY h.id LIMIT $2;

-- name: wasRead ($1: up to which line)
UPDATE alert_watch SET last_line = greatest(last_line, $1::bigint);
