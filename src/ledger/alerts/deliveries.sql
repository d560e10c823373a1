-- Notices on their way.

-- name: enqueue ($1: alerts, $2: targets, side by side, $3: what, $4: how many may wait for a target)
WITH wanted AS (
  SELECT u.id, u.name, (SELECT count(*) FROM alert_delivery d WHERE d.target = u.name) >= $4 AS full
  FROM unnest($1::bigint[], $2::text[]) AS u (id, name)
), given_up AS (
  INSERT INTO alert_target (name, failed, failed_at, fault)
    SELECT name, count(*), now(), 'too many notices wait for it' FROM wanted WHERE wanted.full GROUP BY name
  ON CONFLICT (name) DO UPDATE SET failed = alert_target.failed + excluded.failed, failed_at = now(), fault = excluded.fault
)
INSERT INTO alert_delivery (alert_id, what, target) SELECT id, $3, name FROM wanted WHERE NOT wanted.full;

-- name: claim ($1: targets, $2: how many of each, $3: milliseconds of the lease)
-- Targets do not wait for each other. The notices of an alert reach a target one after the other.
WITH due AS (
  SELECT due.id FROM unnest($1::text[]) AS t (name) CROSS JOIN LATERAL (
    SELECT c.id FROM alert_delivery c
    WHERE c.target = t.name AND c.due_at <= now() AND (c.leased_until IS NULL OR c.leased_until < now())
      AND NOT EXISTS (SELECT FROM alert_delivery e WHERE e.alert_id = c.alert_id AND e.target = c.target AND e.number < c.number)
    ORDER BY c.due_at, c.number LIMIT $2 FOR UPDATE SKIP LOCKED) due
), taken AS (
  UPDATE alert_delivery d SET leased_until = now() + lasting_ms($3), tries = tries + 1
  WHERE d.id IN (SELECT id FROM due)
  RETURNING d.id AS delivery, d.alert_id, d.what, d.target, d.tries, d.made_at
)
SELECT t.delivery, t.what, t.target, t.tries, t.made_at, a.*
FROM taken t JOIN alert a ON a.id = t.alert_id ORDER BY t.made_at;

-- name: release ($1: delivery, $2: the try that it was taken for). The same below: what comes late, when another bridge has it, changes nothing.
UPDATE alert_delivery SET leased_until = NULL, tries = tries - 1 WHERE id = $1 AND tries = $2;

-- name: retry ($1: delivery, $2: try, $3: after so many milliseconds)
UPDATE alert_delivery SET leased_until = NULL, due_at = now() + lasting_ms($3) WHERE id = $1 AND tries = $2;

-- name: holdAll ($1: target, $2: for so many milliseconds)
UPDATE alert_delivery SET due_at = greatest(due_at, now() + lasting_ms($2))
WHERE target = $1 AND (leased_until IS NULL OR leased_until < now());

-- name: remove ($1: delivery)
DELETE FROM alert_delivery WHERE id = $1;

-- name: count ($1: target, $2: delivered, $3: failed, $4: words for a failure)
INSERT INTO alert_target AS t (name, delivered, failed, delivered_at, failed_at, fault)
  VALUES ($1, $2::bigint, $3::bigint, CASE WHEN $2::bigint > 0 THEN now() END, CASE WHEN $4::text IS NOT NULL THEN now() END, $4)
ON CONFLICT (name) DO UPDATE SET delivered = t.delivered + excluded.delivered, failed = t.failed + excluded.failed,
  delivered_at = coalesce(excluded.delivered_at, t.delivered_at), failed_at = coalesce(excluded.failed_at, t.failed_at),
  fault = coalesce(excluded.fault, t.fault);

-- name: prune. Of targets that are in nobody's settings any more.
DELETE FROM alert_delivery WHERE made_at < now() - interval '1 day' AND (leased_until IS NULL OR leased_until < now());
