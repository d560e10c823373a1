-- Rolling up goes in steps of so many rows: what lies behind a first start of this version, or an outage, is no single long
-- transaction.

DROP FUNCTION roll_up(interval);

-- Where a step ends that begins at p_from: after about p_rows rows of shares or rejections, ten whole minutes at the least, and not
-- after p_end.
CREATE FUNCTION roll_end(p_from timestamptz, p_end timestamptz, p_rows integer) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT least(p_end, greatest(
    date_bin('10 minutes', p_from, 'epoch') + interval '10 minutes',
    date_bin('10 minutes', least(
      (SELECT starts_at FROM bucket WHERE starts_at >= p_from AND starts_at < p_end ORDER BY starts_at OFFSET p_rows LIMIT 1),
      (SELECT starts_at FROM rejection WHERE starts_at >= p_from AND starts_at < p_end ORDER BY starts_at OFFSET p_rows LIMIT 1),
      p_end + interval '10 minutes'), 'epoch')))
$$;

-- One step: of what is closed, once for ever, and when all of that is done, of what is open, up to the last whole minute, as far as
-- anything came since the last time. True when more is left. It reads buckets alone, and holds up nobody who records.
CREATE FUNCTION roll_up(p_rows integer) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_closed timestamptz;
  v_until timestamptz;
  v_seen timestamptz;
  v_at timestamptz;
  v_end timestamptz;
  v_first timestamptz;
  v_late timestamptz;
  v_last timestamptz;
  v_to timestamptz := date_bin('1 minute', now() - interval '5 seconds', 'epoch');
BEGIN
  IF NOT pg_try_advisory_xact_lock(roll_lock()) THEN
    RETURN false;
  END IF;
  PERFORM adopt_accounts(4, 50);
  -- Who records holds the lock of the books and has read this time under it: all that lies before it is there to be seen.
  SELECT until INTO STRICT v_closed FROM closed;
  SELECT until, seen, rolled_at INTO STRICT v_until, v_seen, v_at FROM rolled;
  -- Closing has begun anew where a clock was set right.
  v_until := least(v_until, date_bin('10 minutes', v_closed, 'epoch'));
  v_end := date_bin('10 minutes', least(v_closed, now()), 'epoch');

  IF v_until < v_end THEN
    SELECT greatest(v_until, date_bin('10 minutes', least(
      v_end,
      (SELECT min(starts_at) FROM bucket WHERE starts_at >= v_until),
      (SELECT min(starts_at) FROM rejection WHERE starts_at >= v_until)), 'epoch')) INTO v_first;
    v_until := roll_end(v_first, v_end, p_rows);
    PERFORM roll_range(v_first, v_until);
    IF v_until < v_end THEN
      UPDATE rolled SET until = v_until, seen = greatest(seen, v_until);
      RETURN true;
    END IF;
  END IF;

  -- Of the entries that came since: they tell when their first share was accepted.
  SELECT to_timestamp(min((shares -> 0 ->> 5)::float8) / 1000) INTO v_late
    FROM recent_entry WHERE recorded_at > v_at - interval '1 minute';
  v_first := greatest(v_until, date_bin('10 minutes', least(v_seen, v_late) - interval '1 minute', 'epoch'));
  -- It begins before what was seen last, and so has to end after that.
  v_last := greatest(roll_end(v_first, v_to, p_rows), least(v_to, date_bin('10 minutes', v_seen, 'epoch') + interval '10 minutes'));
  IF v_first < v_last THEN
    PERFORM roll_range(v_first, v_last);
  END IF;
  UPDATE rolled SET until = v_until, seen = greatest(v_last, v_until), rolled_at = now();
  RETURN v_last < v_to;
END
$$;
