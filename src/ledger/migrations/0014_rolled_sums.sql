-- What history and lists read: sums over the rigs of an account and over the pool, kept beside the buckets, so that nobody who looks
-- reads every rig's. They are made from the buckets by upkeep, and can be made again: nothing is credited by them.

-- Accounts that have sums of their own: those with more than a few rigs. Buckets do for the others.
CREATE TABLE rolled_account (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text NOT NULL UNIQUE
);

-- account_id 0 is the pool. kind: accepted, the reason of a rejection, or online. amount: submits; of online the seconds that
-- rigs were online, summed, where a rig with a share counts for ten minutes. squares: of the difficulties of shares, as far as a
-- bucket tells: its shares taken as equal.
CREATE TABLE rolled_sum (
  account_id integer NOT NULL,
  kind text NOT NULL,
  starts_at timestamptz NOT NULL,
  seconds integer NOT NULL,
  amount bigint NOT NULL,
  work numeric NOT NULL DEFAULT 0,
  squares double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, kind, starts_at)
);
CREATE INDEX rolled_sum_by_time ON rolled_sum (starts_at);
CREATE INDEX rolled_sum_by_width ON rolled_sum (seconds, starts_at);

-- How far it is rolled up: before `until` for ever, as nothing is credited there any more; before `seen` as it was at `rolled_at`.
CREATE TABLE rolled (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  until timestamptz NOT NULL,
  seen timestamptz NOT NULL,
  rolled_at timestamptz NOT NULL
);
INSERT INTO rolled (until, seen, rolled_at) VALUES ('epoch', 'epoch', 'epoch');

-- Rounds that have ended, all accounts together: they stay as they are. effort: their work in parts of what their block takes on
-- average.
CREATE TABLE round_sum (
  round_id bigint PRIMARY KEY,
  solution_id bigint NOT NULL UNIQUE,
  found_at timestamptz NOT NULL,
  work numeric NOT NULL,
  effort double precision NOT NULL
);
CREATE INDEX round_sum_by_time ON round_sum (found_at) INCLUDE (effort);

CREATE INDEX block_by_state ON block (state, solution_id);
CREATE INDEX block_by_reward ON block (solution_id) WHERE reward IS NOT NULL;
CREATE INDEX solution_by_chain ON solution (chain_id, id);
CREATE INDEX solution_by_account ON solution (account, found_at);
CREATE INDEX solution_taken ON solution (found_at) WHERE state IN ('received', 'perhaps', 'lost');
CREATE INDEX solution_without_block ON solution (state, id) WHERE state IN ('found', 'refused');
CREATE INDEX batch_line_by_account ON batch_line (account, batch_id);

-- Held by who rolls up. Whoever does not get it has nothing to do.
CREATE FUNCTION roll_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372519::bigint';

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

-- Rolls up what is closed, once for ever and at most p_span of it at a time, and then what is open, up to the last whole minute, as
-- far as anything came since the last time. True when more of what is closed is left. It reads buckets alone, and holds up nobody
-- who records.
CREATE FUNCTION roll_up(p_span interval) RETURNS boolean
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
    v_until := least(v_end, v_first + p_span);
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
  IF v_first < v_to THEN
    PERFORM roll_range(v_first, v_to);
  END IF;
  UPDATE rolled SET until = v_until, seen = greatest(v_to, v_until), rolled_at = now();
  RETURN false;
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

-- Sums up rounds that have ended, at most p_most of them. Returns how many there were. Rounds end in the order of their numbers.
CREATE FUNCTION sum_rounds(p_most integer) RETURNS bigint
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  WITH ended AS (
    SELECT id, solution_id FROM round
    WHERE solution_id IS NOT NULL AND id > (SELECT coalesce(max(round_id), 0) FROM round_sum) ORDER BY id LIMIT p_most
  ), made AS (
    INSERT INTO round_sum (round_id, solution_id, found_at, work, effort)
      SELECT e.id, s.id, s.found_at, coalesce(sum(w.work), 0), coalesce(sum(w.work), 0) / s.block_difficulty
      FROM ended e JOIN solution s ON s.id = e.solution_id LEFT JOIN round_work w ON w.round_id = e.id GROUP BY e.id, s.id
    ON CONFLICT DO NOTHING
  )
  SELECT count(*) FROM ended
$$;

-- Merges closed buckets that end before p_before, and before now, into buckets of p_seconds, once they are rolled up. Returns how
-- many rows of shares went. A bucket may stand there already: closing may have begun anew after a clock was set right.
CREATE OR REPLACE FUNCTION merge_buckets(p_seconds integer, p_before timestamptz) RETURNS bigint
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
