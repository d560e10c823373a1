-- Upkeep goes by the database's clock, never later than now: a bridge with a wrong clock had closed buckets of the future, and
-- what was recorded after it was credited there, out of the window of every block.

-- Closes all buckets that start before p_until (rounded down to whole buckets), and none that begins in the future. A time
-- that lies in the future comes from a clock that was wrong and is brought back to where upkeep leaves it.
CREATE OR REPLACE FUNCTION close_buckets(p_until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(books_lock());
  UPDATE closed SET until = date_bin('10 seconds', now() - interval '1 hour', 'epoch') WHERE until > now();
  UPDATE closed SET until = greatest(until, date_bin('10 seconds', least(p_until, now()), 'epoch'));
END
$$;

-- Merges closed buckets that end before p_before, and before now, into buckets of p_seconds. Returns how many rows of shares
-- went. A bucket may stand there already: closing may have begun anew after a clock was set right.
CREATE OR REPLACE FUNCTION merge_buckets(p_seconds integer, p_before timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_seconds);
  v_before timestamptz;
  v_rows bigint;
BEGIN
  SELECT date_bin(v_width, least(p_before, until, now()), 'epoch') INTO STRICT v_before FROM closed;
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

-- What the wrong clock left: shares of the future are shares of now at the latest, and closing goes on from where it should be.
WITH late AS (
  DELETE FROM bucket WHERE starts_at > now() RETURNING *
)
INSERT INTO bucket (rig_id, starts_at, shares, work)
  SELECT rig_id, date_bin('10 seconds', now(), 'epoch'), sum(shares), sum(work) FROM late GROUP BY rig_id
ON CONFLICT (rig_id, starts_at) DO UPDATE
  SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work;
WITH late AS (
  DELETE FROM rejection WHERE starts_at > now() RETURNING *
)
INSERT INTO rejection (rig_id, starts_at, reason, submits, work)
  SELECT rig_id, date_bin('10 seconds', now(), 'epoch'), reason, sum(submits), sum(work) FROM late GROUP BY rig_id, reason
ON CONFLICT (rig_id, starts_at, reason) DO UPDATE
  SET submits = rejection.submits + excluded.submits, work = rejection.work + excluded.work;
UPDATE closed SET until = date_bin('10 seconds', now() - interval '1 hour', 'epoch') WHERE until > now();
