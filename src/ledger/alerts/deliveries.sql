-- Notices on their way, and webhooks of miners.

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

-- name: enqueueForMiners ($1: alerts, $2: what, $3: how many may wait for a webhook, $4: and for all of them)
INSERT INTO alert_delivery (alert_id, what, subscription_id) SELECT a.id, $2, s.id
  FROM alert a JOIN alert_subscription s ON s.account = a.account WHERE a.id = ANY ($1::bigint[])
    AND (SELECT count(*) FROM alert_delivery d WHERE d.subscription_id = s.id) < $3
    AND (SELECT count(*) FROM alert_delivery d WHERE d.subscription_id IS NOT NULL) < $4;

-- name: claim ($1: targets, $2: how many of each, $3: how many for miners, $4: milliseconds of the lease)
-- Targets do not wait for each other, nor for miners. The notices of an alert reach a target one after the other; a miner's webhook gets
-- all that it gets in order, so that one that never answers is asked no more often than one notice is tried.
WITH to_targets AS (
  SELECT due.id FROM unnest($1::text[]) AS t (name) CROSS JOIN LATERAL (
    SELECT c.id FROM alert_delivery c
    WHERE c.target = t.name AND c.due_at <= now() AND (c.leased_until IS NULL OR c.leased_until < now())
      AND NOT EXISTS (SELECT FROM alert_delivery e WHERE e.alert_id = c.alert_id AND e.target = c.target AND e.number < c.number)
    ORDER BY c.due_at, c.number LIMIT $2 FOR UPDATE SKIP LOCKED) due
), to_miners AS (
  SELECT c.id FROM alert_delivery c
  WHERE $3::int > 0 AND c.subscription_id IS NOT NULL AND c.due_at <= now() AND (c.leased_until IS NULL OR c.leased_until < now())
    AND NOT EXISTS (SELECT FROM alert_delivery e WHERE e.subscription_id = c.subscription_id AND e.number < c.number)
  ORDER BY c.due_at, c.number LIMIT $3::int FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE alert_delivery d SET leased_until = now() + lasting_ms($4), tries = tries + 1
  WHERE d.id IN (SELECT id FROM to_targets UNION ALL SELECT id FROM to_miners)
  RETURNING d.id AS delivery, d.alert_id, d.what, d.target, d.tries, d.made_at, d.subscription_id
)
SELECT t.delivery, t.what, t.target, t.tries, t.made_at, s.account AS subscriber, s.url, a.*
FROM taken t JOIN alert a ON a.id = t.alert_id LEFT JOIN alert_subscription s ON s.id = t.subscription_id ORDER BY t.made_at;

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

-- name: lockWebhooks
SELECT pg_advisory_xact_lock(subscriptions_lock());

-- name: forgetOtherKeys ($1: account, $2: sealed URL). What stands before the first dot tells by which key. Nobody can open those of another.
DELETE FROM alert_subscription WHERE account = $1 AND split_part(url, '.', 1) <> split_part($2, '.', 1);

-- name: subscribe ($1: account, $2: sealed URL, $3: how many of an account, $4: and in all)
INSERT INTO alert_subscription (account, url) SELECT $1, $2
WHERE (SELECT count(*) FROM alert_subscription WHERE account = $1) < $3
  AND (SELECT count(*) FROM alert_subscription WHERE split_part(url, '.', 1) = split_part($2, '.', 1)) < $4
ON CONFLICT (account, url) DO NOTHING;

-- name: isSubscribed ($1: account, $2: sealed URL)
SELECT EXISTS (SELECT FROM alert_subscription WHERE account = $1 AND url = $2) AS yes;

-- name: unsubscribe ($1: account, $2: sealed URL)
DELETE FROM alert_subscription WHERE account = $1 AND url = $2;
