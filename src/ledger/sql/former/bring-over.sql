-- From the tables of version 0.1 (schema stratum_bridge_former, tables.sql) into those of this version, which hold what they begin with.
-- A dump that is older than a table has no rows of it.

UPDATE closed SET until = f.until FROM stratum_bridge_former.closed f;
UPDATE rolled SET until = f.until, seen = f.seen, rolled_at = f.rolled_at FROM stratum_bridge_former.rolled f;
UPDATE alert_watch SET last_line = f.last_line, watching_since = f.watching_since, watched_at = f.watched_at
  FROM stratum_bridge_former.alert_watch f;
DELETE FROM round;

INSERT INTO rig (id, account, name) OVERRIDING SYSTEM VALUE
  SELECT id, account, name
  FROM stratum_bridge_former.rig;
INSERT INTO account (name, key)
  SELECT name, sha256(convert_to(name, 'UTF8')) FROM (
    SELECT account AS name FROM stratum_bridge_former.rig UNION SELECT owner FROM stratum_bridge_former.balance
    UNION SELECT account FROM stratum_bridge_former.batch_line) names
  WHERE name <> '';
INSERT INTO bucket (rig_id, starts_at, shares, work, seconds)
  SELECT rig_id, starts_at, shares, work, seconds
  FROM stratum_bridge_former.bucket;
INSERT INTO rejection (rig_id, starts_at, seconds, reason, submits, work)
  SELECT rig_id, starts_at, seconds, reason, submits, work
  FROM stratum_bridge_former.rejection;
INSERT INTO producer (id, shares, work)
  SELECT id, shares, work
  FROM stratum_bridge_former.producer;
INSERT INTO entry (producer, number, recorded_at)
  SELECT producer, number, recorded_at
  FROM stratum_bridge_former.entry;
INSERT INTO credited (producer, numbers)
  SELECT producer, numbers
  FROM stratum_bridge_former.credited;
INSERT INTO recent_entry (recorded_at, producer, number, shares)
  SELECT recorded_at, producer, number, shares
  FROM stratum_bridge_former.recent_entry;
INSERT INTO set_aside (id, producer, number, set_aside_at, part, error) OVERRIDING SYSTEM VALUE
  SELECT id, producer, number, set_aside_at, part, error
  FROM stratum_bridge_former.set_aside;
INSERT INTO rolled_account (id, account) OVERRIDING SYSTEM VALUE
  SELECT id, account
  FROM stratum_bridge_former.rolled_account;
INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work, squares)
  SELECT account_id, kind, starts_at, seconds, amount, work, squares
  FROM stratum_bridge_former.rolled_sum;
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
INSERT INTO block (solution_id, hash, state, depth, tip_height, moves, reward, reward_source, scheme, changed_at, checked_at, settled,
  fees, splits, seen_at)
  SELECT solution_id, hash, state, depth, tip_height, moves, reward, reward_source, scheme, changed_at, checked_at, settled,
  fees, splits, seen_at
  FROM stratum_bridge_former.block;
INSERT INTO round (id, opened_at, solution_id) OVERRIDING SYSTEM VALUE
  SELECT id, opened_at, solution_id
  FROM stratum_bridge_former.round;
INSERT INTO round_work (round_id, account, shares, work, expected)
  SELECT round_id, account, shares, work, expected
  FROM stratum_bridge_former.round_work;
INSERT INTO round_sum (round_id, solution_id, found_at, work, effort)
  SELECT round_id, solution_id, found_at, work, effort
  FROM stratum_bridge_former.round_sum;
INSERT INTO scheme_in_use (only_row, scheme)
  SELECT only_row, scheme
  FROM stratum_bridge_former.scheme_in_use;
INSERT INTO block_weight (solution_id, account, work)
  SELECT solution_id, account, work
  FROM stratum_bridge_former.block_weight;
INSERT INTO block_credit (solution_id, account, amount)
  SELECT solution_id, account, amount
  FROM stratum_bridge_former.block_credit;
INSERT INTO split_doubt (solution_id, kind, shares, work, noted_at)
  SELECT solution_id, kind, shares, work, noted_at
  FROM stratum_bridge_former.split_doubt WHERE kind = 'late';
INSERT INTO batch (id, state, prepared_at, changed_at, minimum, note) OVERRIDING SYSTEM VALUE
  SELECT id, state, prepared_at, changed_at, minimum, note
  FROM stratum_bridge_former.batch;
INSERT INTO batch_line (batch_id, account, amount)
  SELECT batch_id, account, amount
  FROM stratum_bridge_former.batch_line;
INSERT INTO posting (id, key, kind, solution_id, batch_id, posted_at) OVERRIDING SYSTEM VALUE
  SELECT id, key, kind, solution_id, batch_id, posted_at
  FROM stratum_bridge_former.posting;
INSERT INTO posting_line (posting_id, owner, book, amount)
  SELECT posting_id, owner, book, amount
  FROM stratum_bridge_former.posting_line;
INSERT INTO balance (owner, book, amount)
  SELECT owner, book, amount
  FROM stratum_bridge_former.balance;
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
