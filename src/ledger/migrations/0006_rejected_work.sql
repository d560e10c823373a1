-- Rejected submits with the work that they would have been credited.

ALTER TABLE rejection ADD COLUMN work numeric NOT NULL DEFAULT 0;

DROP FUNCTION record_entry;

-- Credits one entry, already summed, each sum once and in one order for every caller. False when it was credited before.
-- One call is one transaction. p_recent: the shares as they came. Arrays by group: sums, rejections, sums by account, and
-- the work of the rejections, which recorders of before do not give.
CREATE FUNCTION record_entry(
  p_producer uuid, p_number bigint, p_recent jsonb,
  p_accounts text[], p_rigs text[], p_starts bigint[], p_shares bigint[], p_work numeric[],
  p_no_accounts text[], p_no_rigs text[], p_no_starts bigint[], p_no_reasons text[], p_no_submits bigint[],
  p_by_accounts text[], p_by_shares bigint[], p_by_work numeric[], p_by_expected numeric[],
  p_no_work numeric[] DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_closed timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());

  INSERT INTO entry (producer, number) VALUES (p_producer, p_number) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF EXISTS (SELECT FROM credited WHERE producer = p_producer AND numbers @> p_number) THEN
    DELETE FROM entry WHERE producer = p_producer AND number = p_number;
    RETURN false;
  END IF;
  SELECT until INTO STRICT v_closed FROM closed;

  INSERT INTO rig (account, name)
    SELECT DISTINCT s.account, s.name
    FROM unnest(p_accounts || p_no_accounts, p_rigs || p_no_rigs) AS s (account, name)
    WHERE NOT EXISTS (SELECT FROM rig r WHERE r.account = s.account AND r.name = s.name)
    ORDER BY 1, 2
  ON CONFLICT DO NOTHING;

  INSERT INTO bucket (rig_id, starts_at, shares, work)
    SELECT r.id, greatest(to_timestamp(s.starts), v_closed) AS at, sum(s.shares), sum(s.work)
    FROM unnest(p_accounts, p_rigs, p_starts, p_shares, p_work) AS s (account, name, starts, shares, work)
    JOIN rig r ON r.account = s.account AND r.name = s.name
    GROUP BY r.id, at ORDER BY r.id, at
  ON CONFLICT (rig_id, starts_at) DO UPDATE
    SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work;

  INSERT INTO rejection (rig_id, starts_at, reason, submits, work)
    SELECT r.id, greatest(to_timestamp(s.starts), v_closed) AS at, s.reason, sum(s.submits), coalesce(sum(s.work), 0)
    FROM unnest(p_no_accounts, p_no_rigs, p_no_starts, p_no_reasons, p_no_submits, p_no_work)
      AS s (account, name, starts, reason, submits, work)
    JOIN rig r ON r.account = s.account AND r.name = s.name
    GROUP BY r.id, at, s.reason ORDER BY r.id, at, s.reason
  ON CONFLICT (rig_id, starts_at, reason) DO UPDATE
    SET submits = rejection.submits + excluded.submits, work = rejection.work + excluded.work;

  IF p_recent IS NOT NULL THEN
    INSERT INTO recent_entry (producer, number, shares) VALUES (p_producer, p_number, p_recent);
  END IF;

  INSERT INTO round_work (round_id, account, shares, work, expected)
    SELECT (SELECT id FROM round WHERE solution_id IS NULL), s.account, s.shares, s.work, s.expected
    FROM unnest(p_by_accounts, p_by_shares, p_by_work, p_by_expected) AS s (account, shares, work, expected)
    ORDER BY s.account
  ON CONFLICT (round_id, account) DO UPDATE
    SET shares = round_work.shares + excluded.shares, work = round_work.work + excluded.work,
        expected = round_work.expected + excluded.expected;

  INSERT INTO producer (id, shares, work)
    SELECT p_producer, coalesce(sum(s.shares), 0), coalesce(sum(s.work), 0)
    FROM unnest(p_by_shares, p_by_work) AS s (shares, work)
  ON CONFLICT (id) DO UPDATE
    SET shares = producer.shares + excluded.shares, work = producer.work + excluded.work;
  RETURN true;
END
$$;

-- Merges closed buckets that end before p_before into buckets of p_seconds. Returns how many rows of shares went.
CREATE OR REPLACE FUNCTION merge_buckets(p_seconds integer, p_before timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_seconds);
  v_before timestamptz;
  v_rows bigint;
BEGIN
  SELECT date_bin(v_width, least(p_before, until), 'epoch') INTO STRICT v_before FROM closed;
  WITH old AS (
    DELETE FROM bucket WHERE seconds < p_seconds AND starts_at < v_before RETURNING *
  ), merged AS (
    INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
      SELECT rig_id, date_bin(v_width, starts_at, 'epoch'), p_seconds, sum(shares), sum(work)
      FROM old GROUP BY 1, 2
  )
  SELECT count(*) INTO v_rows FROM old;
  WITH old AS (
    DELETE FROM rejection WHERE seconds < p_seconds AND starts_at < v_before RETURNING *
  )
  INSERT INTO rejection (rig_id, starts_at, seconds, reason, submits, work)
    SELECT rig_id, date_bin(v_width, starts_at, 'epoch'), p_seconds, reason, sum(submits), sum(work)
    FROM old GROUP BY 1, 2, 4;
  RETURN v_rows;
END
$$;
