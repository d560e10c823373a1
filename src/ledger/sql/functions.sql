-- Functions of the ledger. A start makes all of them anew when this file reads otherwise. One that a statement calls stands above it where it is in SQL alone.

-- 1. Locks.

-- Held shared by who records, and alone by who closes slots or changes rounds.
CREATE FUNCTION books_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372517::bigint';

-- Held by whoever moves a block: a move may touch another block's credits.
CREATE FUNCTION blocks_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372518::bigint';

-- Held by who sums up or drops partitions. Whoever does not get it has nothing to do.
CREATE FUNCTION roll_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372519::bigint';

-- Held by who posts.
CREATE FUNCTION money_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372520::bigint';

-- Held by who makes a partition.
CREATE FUNCTION partitions_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372521::bigint';

-- Held by who tells something in the timeline.
CREATE FUNCTION timeline_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372522::bigint';

-- Held by who looks at alerts: one after the other.
CREATE FUNCTION alerts_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372523::bigint';

-- Held by who gives an order.
CREATE FUNCTION orders_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372524::bigint';

-- 2. Times.

-- Times as programs tell them, and steps of time of a length that who asks chooses.

-- 2026-11-28T03:54:15.000Z; null for a time without end, such as of what holds since ever.
CREATE FUNCTION iso_of(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- In milliseconds.
CREATE FUNCTION ms_of(p_at timestamptz) RETURNS float8 LANGUAGE sql STABLE AS $$ SELECT (extract(epoch FROM p_at) * 1000)::float8 $$;

CREATE FUNCTION at_ms(p_ms float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$ SELECT to_timestamp(p_ms / 1000) $$;

CREATE FUNCTION lasting_ms(p_ms float8) RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT make_interval(secs => p_ms / 1000) $$;

-- When the step begins that a time is in.
CREATE FUNCTION step_begin(p_at timestamptz, p_first_ms float8, p_step_ms float8) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$ SELECT date_bin(make_interval(secs => p_step_ms / 1000), p_at, to_timestamp(p_first_ms / 1000)) $$;

-- The number of the step that begins then, from 0. Rows are put together by the beginning of their step, and only what comes of them is
-- numbered: to number every row of a year of blocks takes three times as long.
CREATE FUNCTION step_number(p_begin timestamptz, p_first_ms float8, p_step_ms float8) RETURNS integer
LANGUAGE sql STABLE AS $$ SELECT round((date_part('epoch', p_begin) * 1000 - p_first_ms) / p_step_ms)::integer $$;

-- 3. Accounts.

-- SHA-256 of a name. STABLE, as convert_to is: so that it becomes part of the statements that ask for it.
CREATE FUNCTION account_key(p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$ SELECT sha256(convert_to(p_name, 'UTF8')) $$;

-- SHA-256 of account, a zero byte and name.
CREATE FUNCTION rig_key(p_account text, p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(p_account, 'UTF8') || '\x00'::bytea || convert_to(p_name, 'UTF8'))
$$;

-- The number of an account; null where there is none.
CREATE FUNCTION account_of(p_name text) RETURNS integer LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT id FROM account WHERE key = account_key(p_name)
$$;

-- Makes the rows that are missing, in one order for every caller.
CREATE FUNCTION know_accounts(p_names text[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO account (name, key)
    SELECT n.name, n.key FROM (SELECT DISTINCT u AS name, account_key(u) AS key FROM unnest(p_names) AS u) AS n
    WHERE NOT EXISTS (SELECT FROM account a WHERE a.key = n.key) ORDER BY n.key
  ON CONFLICT (key) DO NOTHING
$$;

-- 4. Numbers of bridges.

-- Leases p_wanted where it is free, else (but for p_only) one that nobody has, else the one that was silent the longest. Free is
-- what nobody has and what the owner has; to p_only also what was not heard of for p_lapse, for its bridge may yet be mining
-- where it cannot be heard. NULL when there is none.
CREATE FUNCTION lease_instance(
  p_owner uuid, p_run uuid, p_place text, p_wanted integer, p_only boolean, p_lapse interval
) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_number integer;
BEGIN
  LOCK TABLE bridge IN SHARE ROW EXCLUSIVE MODE;
  SELECT n INTO v_number FROM generate_series(0, 127) AS n LEFT JOIN bridge i ON i.number = n
    WHERE (i.number IS NULL OR i.owner = p_owner OR i.heard_at < now() - p_lapse)
      AND (n = p_wanted OR NOT p_only)
    ORDER BY n IS NOT DISTINCT FROM p_wanted AND (p_only OR i.number IS NULL OR i.owner = p_owner) DESC,
      i.heard_at NULLS FIRST, n LIMIT 1;
  DELETE FROM bridge WHERE owner = p_owner;
  IF v_number IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO bridge (number, owner, run, place) VALUES (v_number, p_owner, p_run, p_place)
    ON CONFLICT (number) DO UPDATE
      SET owner = excluded.owner, run = excluded.run, place = excluded.place, heard_at = now();
  RETURN v_number;
END
$$;

-- 5. Sums of shares.

-- Makes the rows that are missing, in one order for every caller.
CREATE FUNCTION know_rigs(p_accounts text[], p_names text[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_accounts text[];
  v_names text[];
BEGIN
  SELECT array_agg(account), array_agg(name) INTO v_accounts, v_names
    FROM (SELECT DISTINCT * FROM unnest(p_accounts, p_names) AS u (account, name)) AS u
    WHERE NOT EXISTS (SELECT FROM rig r WHERE r.key = rig_key(u.account, u.name));
  IF v_accounts IS NULL THEN
    RETURN;
  END IF;
  PERFORM know_accounts(v_accounts);
  INSERT INTO rig (account_id, name, key)
    SELECT a.id, u.name, rig_key(u.account, u.name)
    FROM unnest(v_accounts, v_names) AS u (account, name) JOIN account a ON a.key = account_key(u.account)
    ORDER BY 3
  ON CONFLICT (key) DO NOTHING;
END
$$;

-- Adds sums of rigs in slots (seconds since the epoch, divided by ten) to the books. The caller holds the lock of the books, shared.
-- Every caller takes rows in one order, so that two never wait for one another. Slots of the future are of now, and those that are
-- closed count in the first open one. A rig is known from its first share on; what is refused before that counts for nobody.
CREATE FUNCTION apply_sums(
  p_accounts text[], p_rigs text[], p_slots bigint[], p_kinds smallint[], p_submits bigint[], p_work numeric[], p_expected numeric[],
  p_best float8[]
) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_closed timestamptz;
  v_now timestamptz := date_bin('10 seconds', now(), 'epoch');
  v_sums rig_sum[];
  v_online account_work[];
BEGIN
  SELECT closed_until INTO STRICT v_closed FROM settlement;
  PERFORM know_rigs(array_agg(account), array_agg(rig))
    FROM unnest(p_accounts, p_rigs, p_kinds) AS s (account, rig, kind) WHERE kind = 0;

  SELECT array_agg((s.at, s.rig_id, s.account_id, s.kind, s.submits, s.work, s.squares, s.expected, s.best)::rig_sum) INTO v_sums FROM (
    SELECT greatest(least(to_timestamp(10 * slot), v_now), v_closed) AS at, coalesce(r.id, 0) AS rig_id,
           coalesce(r.account_id, 0) AS account_id, s.kind, sum(submits)::bigint AS submits, sum(work) AS work,
           coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares, sum(expected) AS expected, coalesce(max(s.best), 0) AS best
    FROM unnest(p_accounts, p_rigs, p_slots, p_kinds, p_submits, p_work, p_expected, p_best)
      AS s (account, rig, slot, kind, submits, work, expected, best)
    LEFT JOIN rig r ON r.key = rig_key(s.account, s.rig)
    GROUP BY 1, 2, 3, 4) AS s;
  IF v_sums IS NULL THEN
    RETURN;
  END IF;
  PERFORM need_partition('rig_work', at), need_partition('account_work', at)
    FROM (SELECT DISTINCT date_bin('1 hour', at, 'epoch') AS at FROM unnest(v_sums)) AS hours;
  v_online := newly_online(v_sums);

  INSERT INTO rig_work (starts_at, rig_id, kind, submits, work, best)
    SELECT at, rig_id, kind, submits, work, best FROM unnest(v_sums) ORDER BY 1, 2, 3
  ON CONFLICT (starts_at, rig_id, kind) DO UPDATE
    SET submits = rig_work.submits + excluded.submits, work = rig_work.work + excluded.work, best = greatest(rig_work.best, excluded.best);

  -- Those of everybody last: every recorder waits for them.
  INSERT INTO account_work (starts_at, account_id, kind, seconds, submits, work, squares, expected)
    SELECT * FROM (
      SELECT date_bin('1 minute', at, 'epoch') AS minute, account_id, kind, 60, sum(submits), sum(work), sum(squares), sum(expected)
      FROM unnest(v_sums) WHERE account_id <> 0 GROUP BY 1, 2, 3
      UNION ALL
      SELECT date_bin('1 minute', at, 'epoch'), 0, kind, 60, sum(submits), sum(work), sum(squares), sum(expected)
      FROM unnest(v_sums) GROUP BY 1, 3
      UNION ALL
      SELECT starts_at, account_id, kind, seconds, submits, work, squares, expected FROM unnest(v_online)) AS s
    ORDER BY account_id = 0, account_id, minute, kind
  ON CONFLICT (starts_at, account_id, kind) DO UPDATE
    SET submits = account_work.submits + excluded.submits, work = account_work.work + excluded.work,
        squares = account_work.squares + excluded.squares, expected = account_work.expected + excluded.expected;

  UPDATE rig SET best = greatest(rig.best, come.best), last_at = greatest(rig.last_at, come.minute),
      best_at = CASE WHEN come.best > rig.best THEN come.minute ELSE rig.best_at END
    FROM (SELECT rig_id, max(best) AS best, max(date_bin('1 minute', at, 'epoch')) AS minute FROM unnest(v_sums)
          WHERE kind = 0 AND rig_id <> 0 GROUP BY 1) AS come
    WHERE rig.id = come.rig_id AND (come.best > rig.best OR rig.last_at IS NULL OR come.minute > rig.last_at);
END
$$;

-- Of sums that are about to be added: ten minutes in which a rig had no share until now, by account and of everybody. Rigs whose row may
-- change are locked, in one order for every caller, so that no two count one of them at once.
CREATE FUNCTION newly_online(p_sums rig_sum[]) RETURNS account_work[]
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_online account_work[];
BEGIN
  PERFORM FROM rig WHERE id IN (
      SELECT s.rig_id FROM unnest(p_sums) s JOIN rig r ON r.id = s.rig_id
      WHERE s.kind = 0 AND (r.last_at IS NULL OR date_bin('1 minute', s.at, 'epoch') > r.last_at OR s.best > r.best
        OR date_bin('10 minutes', s.at, 'epoch') <> date_bin('10 minutes', r.last_at, 'epoch')))
    ORDER BY id FOR NO KEY UPDATE;
  WITH come AS (
    SELECT DISTINCT rig_id, account_id, date_bin('10 minutes', at, 'epoch') AS at FROM unnest(p_sums) WHERE kind = 0 AND rig_id <> 0
  ), new AS (
    SELECT come.account_id, come.at, count(*) AS rigs FROM come JOIN rig r ON r.id = come.rig_id
    WHERE come.at IS DISTINCT FROM date_bin('10 minutes', r.last_at, 'epoch')
      AND NOT EXISTS (SELECT FROM rig_work w WHERE w.rig_id = come.rig_id AND w.kind = 0
                      AND w.starts_at >= come.at AND w.starts_at < come.at + interval '10 minutes')
    GROUP BY 1, 2
  ), counted AS (
    SELECT at, account_id, rigs FROM new WHERE account_id <> 0 UNION ALL SELECT at, 0, sum(rigs) FROM new GROUP BY at
  )
  SELECT array_agg((at, account_id, 100, 600, 600 * rigs, 0, 0, 0)::account_work) INTO v_online FROM counted;
  RETURN v_online;
END
$$;

-- 6. When slots are closed.

-- A turn of settlement. Whose lease has lapsed is missed for one more turn, of 30 s at the most: what nobody could be heard in does not count.
CREATE FUNCTION take_turn() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_last timestamptz;
BEGIN
  SELECT turn_at INTO STRICT v_last FROM settlement FOR UPDATE;
  UPDATE settlement SET turn_at = now(), calm_since = CASE WHEN v_last < now() - interval '15 seconds' THEN now() ELSE calm_since END;
  UPDATE log SET waited = CASE WHEN is_leased(heard_at) THEN interval '0'
      ELSE waited + greatest(interval '0', least(now() - v_last, interval '30 seconds')) END
    WHERE NOT ended AND NOT (is_leased(heard_at) AND waited = interval '0');
END
$$;

-- A lease is renewed each ten seconds.
CREATE FUNCTION is_leased(p_heard_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_heard_at >= now() - interval '30 seconds'
$$;

-- Until when all that was accepted is in the books. A log whose lease lapsed p_patience ago is waited for no longer; its own blocks wait for it all
-- the same. Nothing is known in the first 30 s after the books were away: whoever lives has said so by then.
CREATE FUNCTION known_until(p_patience interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN calm_since + interval '30 seconds' > now() THEN timestamptz 'epoch'
    ELSE (SELECT least(now(), min(watermark)) FROM log WHERE NOT ended AND (is_leased(heard_at) OR waited < p_patience)) END
  FROM settlement
$$;

-- The slot of what happened at this time, or the first open one. It stays open until the transaction ends.
CREATE FUNCTION open_slot(p_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  RETURN (SELECT greatest(date_bin('10 seconds', least(p_at, now()), 'epoch'), closed_until) FROM settlement);
END
$$;

-- Closes all slots that end by p_until and by known_until, and tells from where on they are open. A time that lies in the future comes
-- from a clock that was wrong (one that came while this waited for the lock does not), and is brought back as far as nothing was counted by it:
-- a block or a share of slots that were would count twice, or never.
CREATE FUNCTION close_slots(p_until timestamptz, p_patience interval) RETURNS timestamptz
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_until timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(books_lock());
  UPDATE settlement SET closed_until = greatest(date_bin('10 seconds', now() - interval '1 hour', 'epoch'), round_until, periods_until)
    WHERE closed_until > clock_timestamp();
  UPDATE settlement SET closed_until = greatest(closed_until, date_bin('10 seconds', least(p_until, known_until(p_patience)), 'epoch'))
    RETURNING closed_until INTO STRICT v_until;
  RETURN v_until;
END
$$;

-- 7. Entries of logs.

-- null while that log is not booked up to there. The log stays as it is until the transaction ends: what brings it there has either come
-- before, or finds the block without its slot.
CREATE FUNCTION slot_when_booked(p_log uuid, p_found_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  -- First, as recorders do.
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  RETURN (SELECT CASE WHEN ended OR watermark >= p_found_at THEN open_slot(p_found_at) END FROM log WHERE id = p_log FOR SHARE);
END
$$;

-- Blocks of this log that it is booked up to now get their slot, and with it their round.
CREATE FUNCTION place_blocks(p_log uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE block SET slot = slot_when_booked(log, found_at) WHERE log = p_log AND slot IS NULL AND state IS NOT NULL
$$;

-- Entries come in any order: how far a log is, is known once none is missing before. A time that has not come yet says nothing until it
-- has: its clock is fast, and shares of now are still to come.
CREATE FUNCTION look_at_log(p_log uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE log SET ended = declared_end OR ended AND ended_by IS NOT NULL,
    watermark = greatest(watermark, CASE WHEN declared_watermark <= now() THEN declared_watermark WHEN ahead <= now() THEN ahead END),
    ahead = CASE WHEN ahead > now() THEN ahead ELSE declared_watermark END
  WHERE id = p_log AND declared_number > 0 AND numbers @> int8range(1, greatest(1, declared_number), '[]');
  SELECT place_blocks(p_log);
$$;

-- Another one than this is booked under its number, and nobody has given this one up.
CREATE FUNCTION is_conflict(p_log uuid, p_number bigint, p_shares bigint, p_work numeric) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT EXISTS (SELECT FROM entry WHERE log = p_log AND number = p_number AND (shares, work) <> (p_shares, p_work))
    AND NOT EXISTS (SELECT FROM unbooked WHERE log = p_log AND p_number BETWEEN number AND last_number AND part IS NULL)
$$;

-- Takes note of one entry. What became of it: recorded, repeated (it is booked already), conflict.
CREATE FUNCTION take_entry(
  p_log uuid, p_number bigint, p_watermark timestamptz, p_ends boolean, p_shares bigint, p_work numeric
) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET heard_at = now(), numbers = numbers + int8multirange(int8range(p_number, p_number, '[]'))
    WHERE id = p_log AND NOT numbers @> p_number;
  IF NOT FOUND THEN
    RETURN CASE WHEN is_conflict(p_log, p_number, p_shares, p_work) THEN 'conflict' ELSE 'repeated' END;
  END IF;
  INSERT INTO entry (log, number, shares, work) VALUES (p_log, p_number, p_shares, p_work);
  UPDATE log SET declared_number = p_number, declared_shares = p_shares, declared_work = p_work,
      declared_watermark = greatest(declared_watermark, p_watermark), declared_end = p_ends
    WHERE id = p_log AND declared_number < p_number;
  PERFORM look_at_log(p_log);
  RETURN 'recorded';
END
$$;

-- A last word is never taken back by a late 'found', nor a node's yes by anything. What a node may have taken is followed as a block. What was
-- seen on its chain before its log named it has a finder now. It was found when its first word came at the latest, though a clock that was fast
-- then says otherwise.
CREATE FUNCTION take_solution(v solution_word) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO block (pow_hash, hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig, found_at, log, said, detail)
  VALUES (decode(v.pow_hash, 'hex'), decode(v.hash, 'hex'), decode(v.header, 'hex'), v.chain_id, v.height, decode(v.parent, 'hex'), v.nonce,
          v.creation_time, v.block_difficulty, v.node, v.account, v.rig, least(to_timestamp(v.found_at / 1000), now()), v.log, v.said, v.detail)
  ON CONFLICT (pow_hash) DO UPDATE SET said = excluded.said, detail = excluded.detail, node = excluded.node,
    account = excluded.account, rig = excluded.rig, log = excluded.log,
    found_at = CASE WHEN block.said IS NULL THEN excluded.found_at ELSE block.found_at END
  WHERE (excluded.said <> 'found' OR block.said IS NULL) AND block.said IS DISTINCT FROM 'received';
  UPDATE block SET state = 'pending', slot = slot_when_booked(log, found_at), changed_at = now()
  WHERE pow_hash = decode(v.pow_hash, 'hex')
    AND (state IS NULL AND said IN ('received', 'perhaps', 'lost') OR state IN ('unclaimed', 'disowned') AND said IS NOT NULL);
$$;

-- Books entries, each unless it is booked already. Returns the places of those that were not, and of those that are not what is booked under
-- their number. One call is one transaction, and every caller goes in one order. A rig is known from its first booked share on; what is refused
-- before that counts for nobody.
--   p_entries   place, log, number, watermark (ms), ends, shares, work: what the log accepted in all
--   p_sums      place of its entry, account, rig, slot, kind (src/ledger/recording/kinds.ts), submits, work, expected, best
--   p_solutions place of its entry, and columns of block; of one solution what was first before what became of it
CREATE FUNCTION record_entries(p_entries json, p_sums json, p_solutions json, OUT recorded integer[], OUT conflicting integer[])
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_entry record;
BEGIN
  recorded := '{}';
  conflicting := '{}';
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  FOR v_entry IN
    SELECT * FROM json_to_recordset(p_entries)
      AS e (place integer, log uuid, number bigint, watermark float8, ends boolean, shares bigint, work numeric)
    ORDER BY log, number
  LOOP
    CASE take_entry(v_entry.log, v_entry.number, to_timestamp(v_entry.watermark / 1000), v_entry.ends, v_entry.shares, v_entry.work)
      WHEN 'recorded' THEN recorded := recorded || v_entry.place;
      WHEN 'conflict' THEN conflicting := conflicting || v_entry.place;
      ELSE NULL;
    END CASE;
  END LOOP;
  PERFORM apply_sums(array_agg(account), array_agg(rig), array_agg(slot), array_agg(kind), array_agg(submits), array_agg(work),
                     array_agg(expected), array_agg(best))
    FROM json_to_recordset(p_sums) AS s (place integer, account text, rig text, slot bigint, kind smallint, submits bigint, work numeric,
                                         expected numeric, best float8)
    WHERE place = ANY (recorded) HAVING count(*) > 0;

  UPDATE log SET shares = log.shares + brought.shares, work = log.work + brought.work
  FROM (
    SELECT e.log, sum(s.submits) AS shares, sum(s.work) AS work
    FROM json_to_recordset(p_sums) AS s (place integer, kind smallint, submits bigint, work numeric)
    JOIN json_to_recordset(p_entries) AS e (place integer, log uuid) USING (place)
    WHERE place = ANY (recorded) AND kind = 0 GROUP BY e.log) AS brought
  WHERE id = brought.log;
  PERFORM take_solution(v) FROM json_populate_recordset(NULL::solution_word, p_solutions) AS v WHERE place = ANY (recorded);
END
$$;

-- 8. What could not be booked.

-- Nothing of this entry will come: what waits for it waits no longer, and no share log brings it again. p_total_shares, p_total_work: of its
-- log up to it, null where that cannot be read.
CREATE FUNCTION give_up_entry(
  p_log uuid, p_number bigint, p_by text, p_shares bigint, p_work numeric, p_total_shares bigint, p_total_work numeric
) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET numbers = numbers + int8multirange(int8range(p_number, p_number, '[]'))
    WHERE id = p_log AND NOT numbers @> p_number;
  IF FOUND OR is_conflict(p_log, p_number, p_total_shares, p_total_work) THEN
    INSERT INTO unbooked (log, number, last_number, shares, work, given_up_by, given_up_at)
      VALUES (p_log, p_number, p_number, p_shares, p_work, p_by, now());
    PERFORM look_at_log(p_log);
  END IF;
END
$$;

-- Nobody has these entries any more: they were booked before the books went back to an earlier time, too long ago for a log to have kept them.
-- False when all of them are there.
CREATE FUNCTION give_up_gone(p_log uuid, p_first bigint, p_last bigint, p_by text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET numbers = numbers + int8multirange(int8range(p_first, p_last, '[]'))
    WHERE id = p_log AND NOT numbers @> int8range(p_first, p_last, '[]');
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO unbooked (log, number, last_number, shares, work, given_up_by, given_up_at) VALUES (p_log, p_first, p_last, 0, 0, p_by, now());
  PERFORM look_at_log(p_log);
  RETURN true;
END
$$;

-- Books a part that was set aside, as its entry would have. p_sums: as record_entries takes them.
CREATE FUNCTION book_part(p_log uuid, p_sums json) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  -- First, as recorders do.
  PERFORM FROM log WHERE id = p_log FOR UPDATE;
  PERFORM apply_sums(array_agg(account), array_agg(rig), array_agg(slot), array_agg(kind), array_agg(submits), array_agg(work),
                     array_agg(expected), array_agg(best))
    FROM json_to_recordset(p_sums) AS s (account text, rig text, slot bigint, kind smallint, submits bigint, work numeric,
                                         expected numeric, best float8);
  UPDATE log SET shares = log.shares + brought.shares, work = log.work + brought.work
  FROM (SELECT sum(submits) AS shares, sum(work) AS work
        FROM json_to_recordset(p_sums) AS s (kind smallint, submits bigint, work numeric) WHERE kind = 0 HAVING count(*) > 0) AS brought
  WHERE id = p_log;
END
$$;

-- 9. What logs have that is not booked.

CREATE FUNCTION bridge_in_words(p_place text, p_log uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('the bridge at %s (log %s)', coalesce(nullif(p_place, ''), 'a place that is not known'), p_log)
$$;

-- Numbers of entries, such as: entries 5 to 7, 9; at most ten ranges.
CREATE FUNCTION numbers_in_words(p_numbers int8multirange) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'entries ' || string_agg(CASE WHEN upper(r) = lower(r) + 1 THEN lower(r)::text ELSE format('%s to %s', lower(r), upper(r) - 1) END, ', ' ORDER BY r)
  FROM (SELECT r FROM unnest(p_numbers) AS r ORDER BY r LIMIT 10) AS first
$$;

-- Of each log, what it has acknowledged and is not booked, beside what is set aside or was given up. gaps: numbers of entries that did not
-- come, although later ones did. is_late: for longer than entries are on their way. is_guess: what was given up could not be read, so
-- its shares are as many as could be counted.
CREATE FUNCTION unaccounted() RETURNS TABLE (
  log uuid, bridge text, shares numeric, work numeric, gaps int8multirange, is_late boolean, is_guess boolean,
  watermark timestamptz, ended_by text, ended_at timestamptz, ended_note text)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT p.id, bridge_in_words(p.place, p.id), p.declared_shares - p.shares - coalesce(told.shares, 0),
    p.declared_work - p.work - coalesce(told.work, 0), int8multirange(int8range(1, p.declared_number + 1)) - p.numbers,
    p.declared_watermark > p.watermark + interval '1 minute' OR p.heard_at < now() - interval '1 minute', coalesce(told.is_guess, false),
    p.watermark, p.ended_by, p.ended_at, p.ended_note
  FROM log p LEFT JOIN (
    SELECT u.log, sum(u.shares) AS shares, sum(u.work) AS work, bool_or(u.part IS NULL) AS is_guess
    FROM unbooked u JOIN log o ON o.id = u.log AND u.number <= o.declared_number GROUP BY 1) AS told ON told.log = p.id
$$;

-- 10. Partitions.

-- Partitions of the tables of sums: made where rows come, summed up into fewer and longer ones as they grow old, and dropped.

-- Rows of a table are in times of `seconds`, in partitions of a `unit`, once all of that is older than `after`. The first level of each
-- table is as rows come.
CREATE FUNCTION levels() RETURNS TABLE (parent text, seconds integer, unit text, after interval)
LANGUAGE sql IMMUTABLE AS $$
  VALUES ('rig_work', 10, 'hour', interval '0'), ('rig_work', 600, 'hour', interval '2 hours'), ('rig_work', 3600, 'day', interval '26 hours'),
    ('account_work', 60, 'hour', interval '0'), ('account_work', 600, 'hour', interval '70 minutes'),
    ('account_work', 3600, 'day', interval '26 hours'), ('account_work', 86400, 'month', interval '31 days')
$$;

-- Their names say what they hold: rig_work_10_1700000000_1700003600 rows of ten seconds, from one time to the other.
CREATE FUNCTION partitions_of(p_parent text) RETURNS TABLE (name text, seconds integer, starts_at timestamptz, ends_at timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT relname::text, part[1]::integer, to_timestamp(part[2]::float8), to_timestamp(part[3]::float8)
  FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid,
       LATERAL (SELECT string_to_array(substr(relname, length(p_parent) + 2), '_') AS part) AS parts
  WHERE inhparent = p_parent::regclass
$$;

CREATE FUNCTION partition_name(p_parent text, p_seconds integer, p_from timestamptz, p_to timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format('%s_%s_%s_%s', p_parent, p_seconds, extract(epoch FROM p_from)::bigint, extract(epoch FROM p_to)::bigint)
$$;

-- Makes the partition of a time, where there is none. Who records goes on meanwhile: a partition is attached, and not made in place.
CREATE FUNCTION need_partition(p_parent text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
DECLARE
  v_seconds integer;
  v_unit text;
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
BEGIN
  SELECT l.seconds, l.unit INTO STRICT v_seconds, v_unit FROM levels() l WHERE l.parent = p_parent ORDER BY l.seconds LIMIT 1;
  v_from := date_trunc(v_unit, p_at);
  v_to := v_from + ('1 ' || v_unit)::interval;
  -- Of nearly every call.
  IF to_regclass(partition_name(p_parent, v_seconds, v_from, v_to)) IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(partitions_lock());
  IF EXISTS (SELECT FROM partitions_of(p_parent) p WHERE p_at >= p.starts_at AND p_at < p.ends_at) THEN
    RETURN;
  END IF;
  -- What is old already, of a dump, comes into one as long as it is to be, if there is room for it.
  SELECT coalesce(min(wide.starts), v_from), coalesce(max(wide.ends), v_to) INTO v_from, v_to FROM (
    SELECT date_trunc(l.unit, p_at) AS starts, date_trunc(l.unit, p_at) + ('1 ' || l.unit)::interval AS ends
    FROM levels() l WHERE l.parent = p_parent AND date_trunc(l.unit, p_at) + ('1 ' || l.unit)::interval < now() - l.after
    ORDER BY l.seconds DESC LIMIT 1) AS wide
  WHERE NOT EXISTS (SELECT FROM partitions_of(p_parent) p WHERE p.starts_at < wide.ends AND p.ends_at > wide.starts);
  v_name := partition_name(p_parent, v_seconds, v_from, v_to);
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', v_name, p_parent);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, v_name, v_from, v_to);
END
$$;

-- Those of now and of the time to come, so that nobody who records has to make any.
CREATE FUNCTION make_partitions_ahead() RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  SELECT need_partition(parent, now() + i * interval '1 hour') FROM unnest('{rig_work,account_work}'::text[]) AS parent, generate_series(0, 6) i
$$;

-- Until when all that was done is in a root, from which the next one is counted. null where there is none yet: that one is counted from the beginning.
CREATE FUNCTION rooted_until() RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN EXISTS (SELECT FROM account_work WHERE account_id = 0 AND kind = 0 AND starts_at >= date_trunc('minute', last.until))
    THEN last.until ELSE 'infinity' END
  FROM (SELECT max(until) AS until FROM root) AS last WHERE last.until IS NOT NULL
$$;

-- Makes a table of the oldest partitions that can be summed up, of one time of a level, and tells its name; NULL when there are none. Their
-- rows stand still, and nobody needs them one by one: all their slots are closed, part of the sum of the open round and of a root, and paid where shares are paid (pps). How old they are
-- is told from the first block that is to be weighed, so that its window ends as if it were weighed at once. Nobody waits for it.
CREATE FUNCTION sum_up_oldest(p_parent text) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
DECLARE
  v_due record;
  v_name text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(roll_lock()) THEN
    RETURN NULL;
  END IF;
  PERFORM drop_left_over(p_parent);
  SELECT l.seconds, date_trunc(l.unit, p.starts_at) AS starts_at, date_trunc(l.unit, p.starts_at) + ('1 ' || l.unit)::interval AS ends_at
    INTO v_due
    FROM levels() l JOIN partitions_of(p_parent) p ON p.seconds < l.seconds, settlement s,
         (SELECT least(now(), min(slot)) AS at FROM unweighed_block) AS now_or_block,
         (SELECT EXISTS (SELECT FROM rules WHERE rules.rules ->> 'rewards.scheme' = 'pps') AS is_pps) AS ever
    WHERE l.parent = p_parent
      AND date_trunc(l.unit, p.starts_at) + ('1 ' || l.unit)::interval <= least(now_or_block.at - l.after, s.closed_until, s.round_until, rooted_until(), CASE WHEN ever.is_pps THEN s.periods_until END)
      AND p.ends_at <= date_trunc(l.unit, p.starts_at) + ('1 ' || l.unit)::interval
    ORDER BY l.seconds DESC, p.starts_at LIMIT 1;
  IF v_due IS NULL THEN
    RETURN NULL;
  END IF;
  v_name := partition_name(p_parent, v_due.seconds, v_due.starts_at, v_due.ends_at);
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', v_name, p_parent);
  PERFORM sum_up(p_parent, v_name, v_due.seconds, v_due.starts_at, v_due.ends_at);
  -- It is seen at once that these fit.
  EXECUTE format('ALTER TABLE %I ADD CHECK (starts_at >= %L AND starts_at < %L)', v_name, v_due.starts_at, v_due.ends_at);
  RETURN v_name;
END
$$;

-- Puts such a table in the place of the partitions that it is the sum of. Who records or reads waits until it is there.
CREATE FUNCTION put_in_place(p_parent text, p_name text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
DECLARE
  v_part text[] := string_to_array(substr(p_name, length(p_parent) + 2), '_');
  v_from timestamptz := to_timestamp(v_part[2]::float8);
  v_to timestamptz := to_timestamp(v_part[3]::float8);
  v_old text;
BEGIN
  -- Another bridge led for a moment.
  IF NOT pg_try_advisory_xact_lock(roll_lock()) OR to_regclass(p_name) IS NULL OR p_name IN (SELECT name FROM partitions_of(p_parent)) THEN
    RETURN;
  END IF;
  FOR v_old IN SELECT name FROM partitions_of(p_parent) p WHERE p.starts_at >= v_from AND p.ends_at <= v_to LOOP
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, v_old);
  END LOOP;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, p_name, v_from, v_to);
END
$$;

-- What was summed up, or was to be put in its place and was not.
CREATE FUNCTION drop_left_over(p_parent text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_old text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(roll_lock()) THEN
    RETURN;
  END IF;
  FOR v_old IN
    SELECT pg_class.relname FROM pg_class JOIN pg_class AS parent ON parent.oid = p_parent::regclass
    WHERE pg_class.relnamespace = parent.relnamespace AND pg_class.relname ~ ('^' || p_parent || '_\d+_\d+_\d+$')
      AND pg_class.relkind = 'r' AND NOT pg_class.relispartition
  LOOP
    EXECUTE format('DROP TABLE %I', v_old);
  END LOOP;
END
$$;

CREATE FUNCTION sum_up(p_parent text, p_into text, p_seconds integer, p_from timestamptz, p_to timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_at text := format('date_bin(make_interval(secs => %s), starts_at, ''epoch'')', p_seconds);
  v_from text := format('FROM %I WHERE starts_at >= %L AND starts_at < %L GROUP BY 1, 2, 3 ORDER BY 1, 2, 3', p_parent, p_from, p_to);
BEGIN
  IF p_parent = 'rig_work' THEN
    EXECUTE format('INSERT INTO %I (starts_at, rig_id, kind, seconds, submits, work, best)
      SELECT %s, rig_id, kind, greatest(max(seconds), %s), sum(submits), sum(work), max(best) %s', p_into, v_at, p_seconds, v_from);
  ELSE
    EXECUTE format('INSERT INTO %I (starts_at, account_id, kind, seconds, submits, work, squares, expected)
      SELECT %s, account_id, kind, greatest(max(seconds), %s), sum(submits), sum(work), sum(squares), sum(expected) %s',
      p_into, v_at, p_seconds, v_from);
  END IF;
END
$$;

-- Parts with what is older than p_age, and has as many newer days with shares above it: no clock alone forgets anything, nor anything that a block
-- or a round may still ask for. Returns how many.
-- What was parted with is dropped as what is left over.
CREATE FUNCTION drop_partitions(p_parent text, p_age interval) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_before timestamptz;
  v_old text;
  v_dropped integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(roll_lock()) OR NOT EXISTS (SELECT FROM partitions_of(p_parent) WHERE ends_at <= now() - p_age) THEN
    RETURN 0;
  END IF;
  SELECT least(now() - p_age, day_of_shares(ceil(extract(epoch FROM p_age) / 86400)::integer), closed_until, round_until,
      (SELECT min(slot) FROM unweighed_block))
    INTO v_before FROM settlement;
  FOR v_old IN SELECT name FROM partitions_of(p_parent) WHERE ends_at <= v_before LOOP
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p_parent, v_old);
    v_dropped := v_dropped + 1;
  END LOOP;
  RETURN v_dropped;
END
$$;

-- The start of the p_days-th newest day on which anything was credited, the beginning of time when there are fewer. Days without shares
-- do not count, so that no clock, however wrong, makes history old. It is looked for day by day, and not in all that was ever done.
CREATE FUNCTION day_of_shares(p_days integer) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT
AS $$
DECLARE
  v_day timestamptz := 'infinity';
BEGIN
  FOR i IN 1..p_days LOOP
    SELECT date_bin('1 day', starts_at, 'epoch') INTO v_day FROM account_work
      WHERE account_id = 0 AND kind = 0 AND starts_at < v_day ORDER BY starts_at DESC LIMIT 1;
    IF v_day IS NULL THEN
      RETURN '-infinity';
    END IF;
  END LOOP;
  RETURN v_day;
END
$$;

-- 11. Transfers.

-- The account of a chain: what its blocks brought is its debit, and what was paid on it its credit. So its balance, with the other sign, is what the
-- pool should have there. Null: of what was paid where nobody has said.
CREATE FUNCTION chain_account(p_chain integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(-1 - p_chain, -2147483648) $$;

CREATE FUNCTION period_of(p_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
  $$ SELECT date_bin('10 minutes', p_at, 'epoch') $$;

-- Moves money, each cause once for ever: one that was there before is refused. One transaction at a time does, and takes balances in order.
CREATE FUNCTION transfer_money(p_moves money_move[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(money_lock());
  PERFORM know_chains((SELECT array_agg(least(debit, credit)) FROM unnest(p_moves)));
  WITH moved AS (
    INSERT INTO transfer (code, of, time, debit, credit, amount)
      SELECT code, of, time, debit, credit, amount FROM unnest(p_moves) WHERE amount > 0
    RETURNING code, debit, credit, amount
  )
  INSERT INTO balance (account_id, amount, paid)
    SELECT account_id, sum(amount), sum(paid) FROM (
      SELECT debit AS account_id, -amount AS amount, CASE code WHEN 'paid' THEN amount ELSE 0 END AS paid FROM moved
      UNION ALL SELECT credit, amount, CASE code WHEN 'paid reversed' THEN -amount ELSE 0 END FROM moved) AS sides
    GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET amount = balance.amount + excluded.amount, paid = balance.paid + excluded.paid;
END
$$;

-- Makes accounts of chains that are missing. No login has such a key: those are of text, and these begin with a zero byte.
CREATE FUNCTION know_chains(p_accounts integer[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO account (id, name, key) OVERRIDING SYSTEM VALUE
    SELECT id, name, '\x00'::bytea || convert_to(name, 'UTF8') FROM (
      SELECT DISTINCT id, CASE id WHEN chain_account(NULL) THEN 'elsewhere' ELSE 'chain ' || -1 - id END AS name
      FROM unnest(p_accounts) AS u (id) WHERE id < 0) AS chains
    WHERE NOT EXISTS (SELECT FROM account a WHERE a.id = chains.id)
  ON CONFLICT DO NOTHING
$$;

-- Takes back what was moved for a block the last time. False where nothing of that is left, as it was closed.
CREATE FUNCTION reverse_block(p_block bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_moves money_move[];
BEGIN
  SELECT array_agg((CASE t.code WHEN 'divided' THEN 'divided reversed' ELSE 'block reversed' END, t.of, t.time, t.credit, t.debit, t.amount)::money_move)
    INTO v_moves
    FROM block b JOIN transfer t ON t.code IN ('block', 'fee', 'divided') AND t.of = b.id AND t.time = b.splits WHERE b.id = p_block;
  PERFORM transfer_money(v_moves);
  RETURN v_moves IS NOT NULL;
END
$$;

-- Whom an account passed parts of what it earned at a time on to.
CREATE FUNCTION beneficiaries_at(p_account integer, p_at timestamptz) RETURNS TABLE (account_id integer, basis_points integer)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT u.account_id, u.basis_points
  FROM (SELECT * FROM beneficiary b WHERE b.account_id = p_account AND b.valid_from <= p_at ORDER BY b.valid_from DESC LIMIT 1) AS last,
    unnest(last.accounts, last.basis_points) AS u (account_id, basis_points)
$$;

-- What accounts pass on of what this block has just brought them, one level only. A part is rounded down: what is left stays where it is.
CREATE FUNCTION divide_block(p_block bigint) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  SELECT transfer_money(array_agg(('divided', of, time, credit, account_id, amount)::money_move)) FROM (
    SELECT t.of, t.time, t.credit, d.account_id, trunc(t.amount * d.basis_points / 10000, 12) AS amount
    FROM block b JOIN transfer t ON t.code = 'block' AND t.of = b.id AND t.time = b.splits AND t.credit > 0
    CROSS JOIN LATERAL beneficiaries_at(t.credit, least(b.found_at, b.slot)) AS d WHERE b.id = p_block) AS parts
  WHERE amount > 0 HAVING count(*) > 0
$$;

-- Payments that were made, or were not after all.
CREATE FUNCTION transfer_payments(p_payments bigint[], p_were_made boolean) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE payout_line SET times_paid = times_paid + 1 WHERE p_were_made AND id = ANY (p_payments);
  PERFORM transfer_money(array_agg(CASE WHEN p_were_made
      THEN ('paid', id, times_paid, account_id, chain_account(chain_id), amount)::money_move
      ELSE ('paid reversed', id, times_paid, chain_account(chain_id), account_id, amount)::money_move END))
    FROM payout_line WHERE id = ANY (p_payments);
END
$$;

-- What an account has, as amounts in words. is_known: something was ever moved.
CREATE FUNCTION money_of(p_account integer) RETURNS TABLE (due text, paying text, paid text, is_known boolean)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT coalesce(sum(due), 0)::numeric(38, 12)::text, coalesce(sum(paying), 0)::numeric(38, 12)::text,
         coalesce(sum(paid), 0)::numeric(38, 12)::text, count(*) > 0
  FROM money WHERE account_id = p_account
$$;

-- 12. What is expected.

-- What blocks would bring that are not split yet, by account: by who worked for them, by what they pay, or the last block of their chain did, and by
-- the fees of when they were found. A rest below a unit is the operator's. p_block: of one alone; null for all.
CREATE FUNCTION expected_of(p_block bigint) RETURNS TABLE (account_id integer, amount numeric)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  WITH pending AS MATERIALIZED (
    SELECT b.id, b.slot, b.scheme, b.fee_basis_points AS fee, least(b.found_at, b.slot) AS at,
           CASE b.state WHEN 'pending' THEN c.reward ELSE b.reward + b.fees END AS reward,
           (SELECT coalesce(max(slot), 'epoch') FROM block e WHERE e.slot < b.slot AND e.state IN ('pending', 'confirmed')) AS before
    FROM block b LEFT JOIN chain c ON c.id = b.chain_id
    WHERE b.state IN ('pending', 'confirmed') AND b.split_from IS NULL AND b.weighed_at IS NOT NULL AND (p_block IS NULL OR b.id = p_block)
  ), round AS (
    -- Under prop those too that ended with a block which is not on its chain. All blocks of a slot have the same.
    SELECT id, id AS weighed FROM pending WHERE scheme IN ('pplns', 'solo')
    UNION ALL
    SELECT p.id, r.weighed FROM pending p CROSS JOIN LATERAL (
      SELECT DISTINCT ON (slot) b.id AS weighed FROM block b
      WHERE b.scheme = 'prop' AND b.slot > p.before AND b.slot <= p.slot ORDER BY b.slot, b.id) r
    WHERE p.scheme = 'prop'
  ), weight AS MATERIALIZED (
    SELECT r.id, u.account, sum(u.work) AS work
    FROM round r JOIN block_weight w ON w.block_id = r.weighed, unnest(w.accounts, w.work) AS u (account, work) GROUP BY 1, 2
  ), part AS (
    SELECT w.id, w.account, trunc(p.reward * (10000 - coalesce(own.basis_points, p.fee)) * w.work / (10000 * all_work.work), 12) AS amount
    FROM weight w JOIN pending p USING (id) JOIN (SELECT id, sum(work) AS work FROM weight GROUP BY 1) all_work USING (id)
    LEFT JOIN LATERAL (
      SELECT basis_points FROM account_fee f WHERE f.account_id = w.account AND f.valid_from <= p.at ORDER BY f.valid_from DESC LIMIT 1) own ON true
    WHERE w.account > 0
  )
  SELECT account, sum(amount) FROM (
    SELECT account, amount FROM part UNION ALL SELECT 0, reward FROM pending UNION ALL SELECT 0, -amount FROM part) AS parts
  GROUP BY account HAVING sum(amount) > 0
$$;

-- Who got how much of a block, or is expected to. Nothing is left of one whose day is closed.
CREATE FUNCTION split_of(p_block bigint) RETURNS TABLE (account_id integer, amount numeric)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT t.credit, t.amount FROM block b JOIN transfer t ON t.code IN ('block', 'fee') AND t.of = b.id AND t.time = b.splits
  WHERE b.id = p_block AND b.split_from IS NOT NULL
  UNION ALL SELECT * FROM expected_of(p_block)
$$;

-- 13. Days that are over.

-- Transfers of so old a day are summed by debit, credit and code: else the table would grow with blocks times accounts for ever.

-- Of the transfers of a day, one after the other: of each cause first, so that no text is of all of them.
CREATE FUNCTION hash_of_day(p_day date, p_before bytea) RETURNS bytea
LANGUAGE sql STABLE SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
  SELECT sha256(p_before || convert_to(p_day::text, 'UTF8') || coalesce(string_agg(hash, ''::bytea ORDER BY code COLLATE "C", of, time), ''::bytea)) FROM (
    SELECT code, of, time, sha256(convert_to(
      string_agg(concat_ws(' ', code, of, time, debit, credit, amount, extract(epoch FROM at)), E'\n' ORDER BY debit, credit), 'UTF8')) AS hash
    FROM transfer WHERE at >= p_day AND at < p_day + 1 AND time > 0 GROUP BY code, of, time) AS causes
$$;

-- Closes the first day that is open and older than that; false where there is none. Nothing is moved in a day that is over, so nobody waits.
CREATE FUNCTION close_day(p_older interval) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
DECLARE
  v_day date;
  v_hash bytea;
BEGIN
  SELECT coalesce((SELECT max(day) + 1 FROM closed_day), (SELECT min(at)::date FROM transfer)) INTO v_day;
  IF v_day IS NULL OR v_day + 1 > now() - p_older THEN
    RETURN false;
  END IF;
  v_hash := hash_of_day(v_day, coalesce((SELECT hash FROM closed_day WHERE day = v_day - 1), ''));
  INSERT INTO closed_day (day, transfers, hash)
    SELECT v_day, count(*), v_hash FROM transfer WHERE at >= v_day AND at < v_day + 1 AND time > 0 ON CONFLICT DO NOTHING;
  -- Another bridge led for a moment.
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  WITH gone AS (
    DELETE FROM transfer WHERE at >= v_day AND at < v_day + 1 AND time > 0 RETURNING code, debit, credit, amount
  )
  INSERT INTO transfer (code, of, time, debit, credit, amount, at, transfers)
    SELECT code, v_day - date 'epoch', 0, debit, credit, sum(amount), v_day, count(*) FROM gone GROUP BY code, debit, credit;
  RETURN true;
END
$$;

-- Who worked for blocks that were settled before that, and whose rounds no block pays any more.
CREATE FUNCTION forget_weights(p_older interval) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  DELETE FROM block_weight w USING block b
  WHERE b.id = w.block_id AND b.changed_at < now() - p_older AND b.state NOT IN ('pending', 'unclaimed')
    AND b.slot < least(
      (SELECT coalesce(max(slot), '-infinity') FROM block WHERE split_from IS NOT NULL), (SELECT min(slot) FROM block WHERE state = 'pending'),
      (SELECT min(slot) FROM block WHERE state = 'confirmed' AND split_from IS NULL))
$$;

-- 14. Payouts.

-- What the payments of a payout come to. Its state: prepared while one of them is, else unknown while one is, failed where all are.
CREATE FUNCTION payments_of(p_payout bigint)
RETURNS TABLE (state text, total text, accounts integer, changed_at timestamptz, payments json)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN bool_or(l.state = 'prepared') THEN 'prepared' WHEN bool_or(l.state = 'unknown') THEN 'unknown'
              WHEN bool_and(l.state = 'failed') THEN 'failed' ELSE 'sent' END,
         coalesce(sum(l.amount), 0)::numeric(38, 12)::text, count(DISTINCT l.account_id)::integer, max(l.changed_at),
         json_build_object(
           'prepared', count(*) FILTER (WHERE l.state = 'prepared'), 'sent', count(*) FILTER (WHERE l.state = 'sent'),
           'confirmed', count(*) FILTER (WHERE l.state = 'confirmed'), 'failed', count(*) FILTER (WHERE l.state = 'failed'),
           'unknown', count(*) FILTER (WHERE l.state = 'unknown'))
  FROM payout_line l WHERE l.payout_id = p_payout
$$;

-- What is approved of a payout: its lines themselves, and not a number that somebody may put other lines behind.
CREATE FUNCTION payout_hash(p_payout bigint) RETURNS text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT encode(sha256(convert_to(string_agg(json_build_array(a.name, l.chain_id, l.amount::text)::text, E'\n' ORDER BY a.name COLLATE "C", l.chain_id), 'UTF8')), 'hex')
  FROM payout_line l JOIN account a ON a.id = l.account_id WHERE l.payout_id = p_payout
$$;

-- 15. Alerts.

-- Since when somebody looks without a break of two minutes: also while nobody has looked yet after one, and where the clock was set back.
CREATE FUNCTION looked_since() RETURNS timestamptz LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT least(now(), CASE WHEN watched_at < now() - interval '2 minutes' THEN now() ELSE watching_since END) FROM alert_watch
$$;

-- Another bridge than this one is among those that have found an alert, so long ago at the most.
CREATE FUNCTION seen_by_others(p_found_by jsonb, p_bridge uuid, p_holds interval) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM jsonb_each_text(p_found_by) AS f (bridge, at) WHERE bridge <> p_bridge::text AND at::timestamptz > now() - p_holds)
$$;

-- Rigs with how long they are away, and whether that is longer than is usual for them, and than p_floor (ms). One that is away for longer
-- than a week has left, and is no news.
CREATE FUNCTION watched_rigs(p_floor float8)
RETURNS TABLE (login text, seen_at timestamptz, overdue boolean)
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN r.rig = '' THEN r.account ELSE r.account || '.' || r.rig END, r.seen_at,
         r.seen_at > now() - interval '7 days'
           AND now() - greatest(r.seen_at, (SELECT looked_since())) > make_interval(secs => greatest(p_floor, 3 * r.usual_ms) / 1000)
  FROM alert_rig r
$$;

-- 16. Orders of people.

-- Holds at all bridges from now on. One that could not be told when it was given is no newer than what was said since.
CREATE FUNCTION give_order(p_kind text, p_about text, p_given_at timestamptz, p_says jsonb, p_is_late boolean) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(orders_lock());
  -- Who is connected has read these long ago, and who connects reads what holds.
  DELETE FROM operator_order
  WHERE given_at < now() - interval '1 day' AND (says IS NULL OR (says ->> 'until')::timestamptz < now());
  INSERT INTO operator_order AS o (kind, about, given_at, says) VALUES (p_kind, p_about, p_given_at, p_says)
  ON CONFLICT (kind, about) DO UPDATE
    SET number = DEFAULT, given_at = EXCLUDED.given_at, says = EXCLUDED.says
    WHERE NOT p_is_late OR o.given_at < EXCLUDED.given_at;
  PERFORM pg_notify('stratum_bridge_order', '');
END $$;
