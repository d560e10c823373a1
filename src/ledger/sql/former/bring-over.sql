-- From the tables of version 0.1 (schema stratum_bridge_former, tables.sql) into those of this version, which hold what they begin with.
-- A dump that is older than a table has no rows of it.

-- All that is there counts for rounds as they were: what comes from now on is in slots.
UPDATE closed SET until = date_bin('10 seconds', now(), 'epoch');
UPDATE alert_watch SET last_line = f.last_line, watching_since = f.watching_since, watched_at = f.watched_at
  FROM stratum_bridge_former.alert_watch f;

INSERT INTO account (name, key)
  SELECT name, account_key(name) FROM (
    SELECT account AS name FROM stratum_bridge_former.rig UNION SELECT owner FROM stratum_bridge_former.balance
    UNION SELECT account FROM stratum_bridge_former.block_credit UNION SELECT account FROM stratum_bridge_former.round_work
    UNION SELECT account FROM stratum_bridge_former.batch_line) names
  WHERE name <> '';
INSERT INTO rig (id, account_id, name, key, last_at) OVERRIDING SYSTEM VALUE
  SELECT f.id, a.id, f.name, rig_key(f.account, f.name),
    (SELECT date_bin('1 minute', max(starts_at), 'epoch') FROM stratum_bridge_former.bucket WHERE rig_id = f.id)
  FROM stratum_bridge_former.rig f JOIN account a ON a.key = account_key(f.account) WHERE f.account <> '';

-- Kinds by the numbers of ../../recording/kinds.ts. Rejections of nobody are those of rig 0.
CREATE TEMPORARY TABLE former_sum ON COMMIT DROP AS
  SELECT b.starts_at, b.rig_id, 0::smallint AS kind, b.seconds, b.shares AS submits, b.work FROM stratum_bridge_former.bucket b
  UNION ALL
  SELECT n.starts_at, CASE r.account WHEN '' THEN 0 ELSE n.rig_id END,
    coalesce(array_position(ARRAY['stale', 'unknownJob', 'duplicate', 'lowDifficulty', 'malformed', 'unauthorized', 'notSubscribed',
      'tryAgain'], n.reason), 99)::smallint, n.seconds, n.submits, n.work
  FROM stratum_bridge_former.rejection n JOIN stratum_bridge_former.rig r ON r.id = n.rig_id;
SELECT need_partition('rig_work', at), need_partition('account_minute', at)
  FROM (SELECT DISTINCT date_bin('1 hour', starts_at, 'epoch') AS at FROM former_sum ORDER BY 1) AS hours;
INSERT INTO rig_work (starts_at, rig_id, kind, seconds, submits, work)
  SELECT starts_at, rig_id, kind, max(seconds), sum(submits), sum(work) FROM former_sum GROUP BY 1, 2, 3;
INSERT INTO account_minute (starts_at, account_id, kind, seconds, submits, work, squares)
  SELECT date_bin('1 minute', starts_at, 'epoch'), who.account_id, kind, greatest(max(seconds), 60), sum(submits), sum(work),
    coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)) FILTER (WHERE kind = 0), 0)
  FROM former_sum s LEFT JOIN rig r ON r.id = s.rig_id, LATERAL (SELECT 0 AS account_id UNION SELECT coalesce(r.account_id, 0)) AS who
  GROUP BY 1, 2, 3;
INSERT INTO account_minute (starts_at, account_id, kind, seconds, submits)
  SELECT at, who.account_id, 100, max(seconds), sum(seconds)
  FROM (SELECT rig_id, date_bin('10 minutes', starts_at, 'epoch') AS at, greatest(max(seconds), 600) AS seconds
        FROM former_sum WHERE kind = 0 GROUP BY 1, 2) AS present
    JOIN rig r ON r.id = rig_id, LATERAL (SELECT 0 AS account_id UNION SELECT r.account_id) AS who
  GROUP BY 1, 2;
INSERT INTO producer (id, shares, work, numbers, declared_shares, declared_work, ended)
  SELECT id, shares, work,
    coalesce((SELECT numbers FROM stratum_bridge_former.credited c WHERE c.producer = p.id), '{}') +
    coalesce((SELECT range_agg(int8range(number, number, '[]')) FROM stratum_bridge_former.entry e WHERE e.producer = p.id), '{}'),
    shares, work, true
  FROM stratum_bridge_former.producer p;
INSERT INTO set_aside (id, producer, number, set_aside_at, part, error) OVERRIDING SYSTEM VALUE
  SELECT id, producer, number, set_aside_at, part, error
  FROM stratum_bridge_former.set_aside;
INSERT INTO freshness (step_seconds, starts_at, counts)
  SELECT step_seconds, starts_at, counts
  FROM stratum_bridge_former.freshness;
-- Names of nodes without user and password, which the first programs wrote with them.
INSERT INTO solution (id, pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig,
  found_at, state, detail, changed_at) OVERRIDING SYSTEM VALUE
  SELECT id, pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty,
    regexp_replace(node, '^([a-z][a-z0-9+.-]*://)[^/?#\\]*@', '\1', 'i'), account, rig, found_at, state,
    regexp_replace(detail, '([a-z][a-z0-9+.-]*://)[^/?#\\[:space:]]*@', '\1', 'gi'), changed_at
  FROM stratum_bridge_former.solution;
-- Blocks whose split was made then are weighed: by the work of their round, or what was kept of their window.
INSERT INTO block (solution_id, hash, state, depth, tip_height, slot, reward, reward_source, weighed_at, scheme, fee_basis_points,
  round_work, effort, split_from, posted_at, changed_at, checked_at, settled, seen_at)
  SELECT b.solution_id, hash, b.state, depth, tip_height,
    CASE WHEN b.scheme IS NULL THEN open_slot(s.found_at) ELSE date_bin('10 seconds', s.found_at, 'epoch') END,
    reward, reward_source, CASE WHEN b.scheme IS NOT NULL THEN b.changed_at END, b.scheme, (fees ->> 'basisPoints')::int,
    coalesce(r.work, 0), coalesce(r.work, 0) / s.block_difficulty,
    CASE WHEN b.state IN ('onChain', 'confirmed') AND reward IS NOT NULL THEN '-infinity'::timestamptz END,
    CASE WHEN b.state = 'confirmed' AND reward IS NOT NULL THEN b.changed_at END, b.changed_at, checked_at, settled, seen_at
  FROM stratum_bridge_former.block b JOIN stratum_bridge_former.solution s ON s.id = b.solution_id
  LEFT JOIN (
    SELECT solution_id, sum(work) AS work FROM stratum_bridge_former.round JOIN stratum_bridge_former.round_work ON round_id = id
    GROUP BY solution_id) r USING (solution_id);
-- As if it were split by what it is split by today (settlement/rounds.ts): what was split then stands.
UPDATE block b SET split_from = CASE WHEN b.scheme = 'prop' OR EXISTS (
    SELECT FROM block o WHERE o.scheme = 'prop' AND o.slot > l.before AND o.slot < b.slot) THEN l.before ELSE b.slot END
  FROM (SELECT solution_id, coalesce((SELECT max(o.slot) FROM block o WHERE o.slot < b.slot AND o.state IN ('onChain', 'confirmed')), 'epoch')
          AS before FROM block b) l
  WHERE l.solution_id = b.solution_id AND b.split_from IS NOT NULL AND b.weighed_at IS NOT NULL;
INSERT INTO block_weight (solution_id, accounts, work)
  SELECT solution_id, array_agg(a.id), array_agg(w.work) FROM (
    SELECT r.solution_id, w.account, w.work FROM stratum_bridge_former.round r
    JOIN stratum_bridge_former.round_work w ON w.round_id = r.id JOIN stratum_bridge_former.block b USING (solution_id)
    WHERE b.scheme <> 'pplns'
    UNION ALL SELECT solution_id, account, work FROM stratum_bridge_former.block_weight) w
  JOIN account a ON a.key = account_key(w.account) GROUP BY solution_id;
-- What stands of them: held where they are not confirmed.
INSERT INTO block_split (solution_id, number, period, cause, accounts, amounts)
  SELECT b.solution_id, 1, period_of(b.posted_at), 'block', coalesce(array_agg(a.id) FILTER (WHERE a.id IS NOT NULL), '{}'),
    coalesce(array_agg(c.amount) FILTER (WHERE a.id IS NOT NULL), '{}')
  FROM block b LEFT JOIN stratum_bridge_former.block_credit c USING (solution_id)
  LEFT JOIN account a ON a.key = account_key(c.account)
  WHERE b.split_from IS NOT NULL GROUP BY b.solution_id;
INSERT INTO held (account_id, amount)
  SELECT account, sum(amount) FROM block_split, unnest(accounts, amounts) AS u (account, amount) WHERE period IS NULL GROUP BY account;
UPDATE open_round SET until = (SELECT until FROM closed), (accounts, work) = (
  SELECT coalesce(array_agg(a.id), '{}'), coalesce(array_agg(w.work), '{}') FROM stratum_bridge_former.round r
  JOIN stratum_bridge_former.round_work w ON w.round_id = r.id JOIN account a ON a.key = account_key(w.account)
  WHERE r.solution_id IS NULL);
-- Pay per share that was not paid yet is expected of now.
UPDATE pps_paid SET until = period_of(now());
SELECT need_partition('account_minute', now());
INSERT INTO account_minute (starts_at, account_id, kind, submits, expected)
  SELECT date_bin('1 minute', now(), 'epoch'), coalesce(id, 0), 0, 0, expected FROM (
    SELECT a.id, sum(w.expected) AS expected FROM stratum_bridge_former.round_work w
    JOIN account a ON a.key = account_key(w.account)
    WHERE w.expected > 0 AND (SELECT scheme FROM stratum_bridge_former.scheme_in_use) = 'pps' GROUP BY ROLLUP (a.id)) AS sums
  WHERE expected > 0
ON CONFLICT (starts_at, account_id, kind) DO UPDATE SET expected = account_minute.expected + excluded.expected;
INSERT INTO payout (id, name, minimum, prepared_at, note) OVERRIDING SYSTEM VALUE
  SELECT f.id, generation || '-' || f.id, minimum, prepared_at, note
  FROM stratum_bridge_former.batch f, ledger;
INSERT INTO payment (payout_id, account_id, amount, state, changed_at)
  SELECT l.batch_id, a.id, l.amount, f.state, f.changed_at
  FROM stratum_bridge_former.batch_line l JOIN stratum_bridge_former.batch f ON f.id = l.batch_id
  JOIN account a ON a.key = account_key(l.account);
-- Postings of single things become those of their periods: of blocks as they stand, and all else as one of now.
SELECT post(period, 'block', array_agg(account), array_agg(book), array_agg(amount)) FROM (
  SELECT period, account, 'balance' AS book, amount FROM block_split, unnest(accounts, amounts) AS u (account, amount) WHERE period IS NOT NULL
  UNION ALL
  SELECT period, 0, 'rewards', -sum(amount) FROM block_split, unnest(amounts) AS amount WHERE period IS NOT NULL GROUP BY period) AS lines
GROUP BY period;
SELECT post(NULL, 'brought over', array_agg(account_id), array_agg(book), array_agg(amount)) FROM (
  SELECT a.id AS account_id, f.book, f.amount FROM stratum_bridge_former.balance f JOIN account a ON a.key = account_key(f.owner)
  WHERE f.book <> 'held'
  UNION ALL SELECT 0, 'rewards', sum(amount) FROM stratum_bridge_former.balance WHERE book = 'held' HAVING count(*) > 0
  UNION ALL SELECT account_id, book, -amount FROM balance) AS rest HAVING count(*) > 0;
INSERT INTO owed (starts_at, balance, held, paying)
  SELECT starts_at, balance, held, paying
  FROM stratum_bridge_former.owed;
INSERT INTO instance (number, owner, place, heard_at, run)
  SELECT number, owner, place, heard_at, run
  FROM stratum_bridge_former.instance;
INSERT INTO happening (id, run, number, happened_at, kind, says, facts, instance, ordered_by) OVERRIDING SYSTEM VALUE
  SELECT id, run, number, happened_at, kind, says, facts, instance, ordered_by
  FROM stratum_bridge_former.happening;
INSERT INTO alert (id, condition, about, severity, account, says, opened_at, reported_at, told_at, resolved_at, resolved_says) OVERRIDING SYSTEM VALUE
  SELECT id, condition, about, severity, account, says, opened_at, reported_at, told_at, resolved_at, resolved_says
  FROM stratum_bridge_former.alert;
INSERT INTO alert_report (alert_id, bridge, reported_at)
  SELECT alert_id, bridge, reported_at
  FROM stratum_bridge_former.alert_report;
INSERT INTO alert_subscription (id, account, url, made_at) OVERRIDING SYSTEM VALUE
  SELECT id, account, url, made_at
  FROM stratum_bridge_former.alert_subscription;
INSERT INTO alert_delivery (id, number, alert_id, what, target, subscription_id, made_at, due_at, tries, leased_until) OVERRIDING SYSTEM VALUE
  SELECT id, number, alert_id, what, target, subscription_id, made_at, due_at, tries, leased_until
  FROM stratum_bridge_former.alert_delivery;
INSERT INTO alert_target (name, delivered, failed, delivered_at, failed_at, fault)
  SELECT name, delivered, failed, delivered_at, failed_at, fault
  FROM stratum_bridge_former.alert_target;
INSERT INTO alert_rig (account, rig, seen_at, usual_ms)
  SELECT account, rig, seen_at, usual_ms
  FROM stratum_bridge_former.alert_rig;
