-- One step: of what is closed, once for ever, and when all of that is done, of what is open, up to the last whole minute, as far as
-- anything came since the last time. True when more is left. It reads buckets alone, and holds up nobody who records.
CREATE FUNCTION roll_up(p_rows integer) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_closed timestamptz;
  v_until timestamptz;
  v_seen timestamptz;
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
  SELECT until, seen INTO STRICT v_until, v_seen FROM rolled;
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

  -- What is told of here is there to be seen by the next statement.
  WITH told AS (DELETE FROM booked_slot RETURNING starts_at)
  SELECT min(starts_at) INTO v_late FROM told;
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

-- Makes the sums of this time anew. Both times begin minutes; p_from begins ten of them.
CREATE FUNCTION roll_range(p_from timestamptz, p_to timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM rolled_sum WHERE starts_at >= p_from AND starts_at < p_to;

  WITH part AS (
    SELECT a.id, date_bin('1 minute', b.starts_at, 'epoch') AS at, greatest(max(b.seconds), 60) AS seconds,
           sum(b.shares) AS shares, sum(b.work) AS work, coalesce(sum(b.work::float8 ^ 2 / nullif(b.shares, 0)), 0) AS squares
    FROM bucket b JOIN rig r ON r.id = b.rig_id LEFT JOIN rolled_account a ON a.account = r.account
    WHERE b.starts_at >= p_from AND b.starts_at < p_to GROUP BY 1, 2
  )
  INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work, squares)
    SELECT id, 'accepted', at, seconds, shares, work, squares FROM part WHERE id IS NOT NULL
    UNION ALL
    SELECT 0, 'accepted', at, max(seconds), sum(shares), sum(work), sum(squares) FROM part GROUP BY at;

  WITH part AS (
    SELECT a.id, n.reason, date_bin('1 minute', n.starts_at, 'epoch') AS at, greatest(max(n.seconds), 60) AS seconds,
           sum(n.submits) AS submits, sum(n.work) AS work
    FROM rejection n JOIN rig r ON r.id = n.rig_id LEFT JOIN rolled_account a ON a.account = r.account
    WHERE n.starts_at >= p_from AND n.starts_at < p_to GROUP BY 1, 2, 3
  )
  INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work)
    SELECT id, reason, at, seconds, submits, work FROM part WHERE id IS NOT NULL
    UNION ALL
    SELECT 0, reason, at, max(seconds), sum(submits), sum(work) FROM part GROUP BY reason, at;

  WITH present AS (
    SELECT rig_id, date_bin('10 minutes', starts_at, 'epoch') AS at, greatest(max(seconds), 600) AS seconds
    FROM bucket WHERE starts_at >= p_from AND starts_at < p_to GROUP BY 1, 2
  ), part AS (
    SELECT a.id, p.at, max(p.seconds) AS seconds, sum(p.seconds) AS online
    FROM present p JOIN rig r ON r.id = p.rig_id LEFT JOIN rolled_account a ON a.account = r.account GROUP BY 1, 2
  )
  INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount)
    SELECT id, 'online', at, seconds, online FROM part WHERE id IS NOT NULL
    UNION ALL
    SELECT 0, 'online', at, max(seconds), sum(online) FROM part GROUP BY at;
END
$$;

-- Gives sums of their own to accounts that have more than p_rigs rigs by now, from their first share on; at most p_most at a time,
-- as each is made from all its buckets.
CREATE FUNCTION adopt_accounts(p_rigs integer, p_most integer) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_seen timestamptz;
  v_grown record;
BEGIN
  SELECT seen INTO STRICT v_seen FROM rolled;
  FOR v_grown IN
    WITH grown AS (
      SELECT r.account, array_agg(r.id) AS rigs FROM rig r
      WHERE r.account <> '' AND NOT EXISTS (SELECT FROM rolled_account a WHERE a.account = r.account)
      GROUP BY r.account HAVING count(*) > p_rigs
      -- Before anything was rolled up, there is nothing to make.
      ORDER BY count(*) DESC, r.account LIMIT CASE WHEN v_seen > 'epoch' THEN p_most END
    ), made AS (
      INSERT INTO rolled_account (account) SELECT account FROM grown RETURNING id, account
    )
    SELECT made.id, grown.rigs FROM made JOIN grown USING (account)
  LOOP
    INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work, squares)
      SELECT v_grown.id, 'accepted', date_bin('1 minute', starts_at, 'epoch') AS at, greatest(max(seconds), 60), sum(shares),
             sum(work), coalesce(sum(work::float8 ^ 2 / nullif(shares, 0)), 0)
      FROM bucket WHERE rig_id = ANY (v_grown.rigs) AND starts_at < v_seen GROUP BY at;
    INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work)
      SELECT v_grown.id, reason, date_bin('1 minute', starts_at, 'epoch') AS at, greatest(max(seconds), 60), sum(submits), sum(work)
      FROM rejection WHERE rig_id = ANY (v_grown.rigs) AND starts_at < v_seen GROUP BY reason, at;
    INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount)
      SELECT v_grown.id, 'online', at, max(seconds), sum(seconds) FROM (
        SELECT date_bin('10 minutes', starts_at, 'epoch') AS at, greatest(max(seconds), 600) AS seconds
        FROM bucket WHERE rig_id = ANY (v_grown.rigs) AND starts_at < v_seen GROUP BY rig_id, at) AS present
      GROUP BY at;
  END LOOP;
END
$$;

-- Merges rolled sums as buckets are merged.
CREATE FUNCTION merge_rolled(p_seconds integer, p_before timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_seconds);
  v_before timestamptz;
BEGIN
  -- Who rolls up makes rows of this time.
  PERFORM pg_advisory_xact_lock(roll_lock());
  SELECT date_bin(v_width, least(p_before, until), 'epoch') INTO STRICT v_before FROM rolled;
  WITH old AS (
    DELETE FROM rolled_sum WHERE seconds < p_seconds AND starts_at < v_before RETURNING *
  )
  INSERT INTO rolled_sum (account_id, kind, starts_at, seconds, amount, work, squares)
    SELECT account_id, kind, date_bin(v_width, starts_at, 'epoch'), p_seconds, sum(amount), sum(work), sum(squares)
    FROM old GROUP BY 1, 2, 3
  ON CONFLICT (account_id, kind, starts_at) DO UPDATE
    SET amount = rolled_sum.amount + excluded.amount, work = rolled_sum.work + excluded.work,
        squares = rolled_sum.squares + excluded.squares;
END
$$;
