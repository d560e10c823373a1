-- Partitions of the tables of sums: made where rows come, summed up into fewer and longer ones as they grow old, and dropped.

-- Rows of a table are in times of `seconds`, in partitions of a `unit`, once all of that is older than `after`. The first level of each
-- table is as rows come.
CREATE FUNCTION levels() RETURNS TABLE (parent text, seconds integer, unit text, after interval)
LANGUAGE sql IMMUTABLE AS $$
  VALUES ('rig_work', 10, 'hour', interval '0'), ('rig_work', 600, 'hour', interval '2 hours'), ('rig_work', 3600, 'day', interval '26 hours'),
    ('account_minute', 60, 'hour', interval '0'), ('account_minute', 600, 'hour', interval '70 minutes'),
    ('account_minute', 3600, 'day', interval '26 hours'), ('account_minute', 86400, 'month', interval '31 days')
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
  SELECT need_partition(parent, now() + i * interval '1 hour') FROM unnest('{rig_work,account_minute}'::text[]) AS parent, generate_series(0, 6) i
$$;

-- Makes a table of the oldest partitions that can be summed up, of one time of a level, and tells its name; NULL when there are none. Their
-- rows stand still, and nobody needs them one by one: all their slots are closed, part of the sum of the open round, and paid where shares are paid (pps). How old they are
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
    FROM levels() l JOIN partitions_of(p_parent) p ON p.seconds < l.seconds, closed, open_round,
         (SELECT least(now(), min(slot)) AS at FROM unweighed_block) AS now_or_block,
         (SELECT CASE WHEN EXISTS (SELECT FROM rules WHERE rules.rules ->> 'scheme' = 'pps') THEN until END AS until FROM pps_paid) AS pps
    WHERE l.parent = p_parent
      AND date_trunc(l.unit, p.starts_at) + ('1 ' || l.unit)::interval <= least(now_or_block.at - l.after, closed.until, open_round.until, pps.until)
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
  SELECT least(now() - p_age, day_of_shares(ceil(extract(epoch FROM p_age) / 86400)::integer), closed.until, open_round.until,
      (SELECT min(slot) FROM unweighed_block))
    INTO v_before FROM closed, open_round;
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
    SELECT date_bin('1 day', starts_at, 'epoch') INTO v_day FROM account_minute
      WHERE account_id = 0 AND kind = 0 AND starts_at < v_day ORDER BY starts_at DESC LIMIT 1;
    IF v_day IS NULL THEN
      RETURN '-infinity';
    END IF;
  END LOOP;
  RETURN v_day;
END
$$;
