-- Merges closed buckets that end before p_before, and before now, into buckets of p_seconds, once they are rolled up. Returns how
-- many rows of shares went. A bucket may stand there already: closing may have begun anew after a clock was set right.
CREATE FUNCTION merge_buckets(p_seconds integer, p_before timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_seconds);
  v_before timestamptz;
  v_rows bigint;
BEGIN
  SELECT date_bin(v_width, least(p_before, closed.until, rolled.until, now()), 'epoch') INTO STRICT v_before FROM closed, rolled;
  WITH old AS (
    DELETE FROM bucket WHERE seconds < p_seconds AND starts_at < v_before RETURNING *
  ), merged AS (
    INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
      SELECT rig_id, date_bin(v_width, starts_at, 'epoch'), p_seconds, sum(shares), sum(work)
      FROM old GROUP BY 1, 2
    ON CONFLICT (rig_id, starts_at) DO UPDATE
      SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work
  )
  SELECT count(*) INTO v_rows FROM old;
  WITH old AS (
    DELETE FROM rejection WHERE seconds < p_seconds AND starts_at < v_before RETURNING *
  )
  INSERT INTO rejection (rig_id, starts_at, seconds, reason, submits, work)
    SELECT rig_id, date_bin(v_width, starts_at, 'epoch'), p_seconds, reason, sum(submits), sum(work)
    FROM old GROUP BY 1, 2, 4
  ON CONFLICT (rig_id, starts_at, reason) DO UPDATE
    SET submits = rejection.submits + excluded.submits, work = rejection.work + excluded.work;
  RETURN v_rows;
END
$$;

-- One step of merging: the oldest buckets of p_from seconds, which are the next narrower ones, about p_rows rows or one bucket of the
-- new width. True when more is left.
CREATE FUNCTION merge_some_buckets(p_from integer, p_to integer, p_before timestamptz, p_rows integer) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_to);
  v_before timestamptz;
  v_first timestamptz;
  v_past timestamptz;
  v_end timestamptz;
BEGIN
  SELECT date_bin(v_width, least(p_before, closed.until, rolled.until, now()), 'epoch') INTO STRICT v_before FROM closed, rolled;
  v_first := least(
    (SELECT starts_at FROM bucket WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at LIMIT 1),
    (SELECT starts_at FROM rejection WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at LIMIT 1));
  IF v_first IS NULL THEN
    RETURN false;
  END IF;
  v_past := least(
    (SELECT starts_at FROM bucket WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at OFFSET p_rows LIMIT 1),
    (SELECT starts_at FROM rejection WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at OFFSET p_rows LIMIT 1),
    v_before);
  v_end := least(v_before, greatest(date_bin(v_width, v_first, 'epoch') + v_width, date_bin(v_width, v_past, 'epoch')));
  PERFORM merge_buckets(p_to, v_end);
  RETURN v_end < v_before;
END
$$;

-- The start of the p_days-th newest day on which anything was credited; NULL when there are fewer. Days without shares do not
-- count, so that no clock, however wrong, makes history old.
CREATE FUNCTION day_of_shares(p_days integer) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  WITH RECURSIVE day AS (
    SELECT 1 AS number, date_bin('1 day', max(starts_at), 'epoch') AS starts_at FROM bucket
    UNION ALL
    SELECT number + 1, (SELECT date_bin('1 day', max(b.starts_at), 'epoch') FROM bucket b WHERE b.starts_at < day.starts_at)
    FROM day WHERE number < p_days AND day.starts_at IS NOT NULL
  )
  SELECT starts_at FROM day WHERE number = p_days
$$;
