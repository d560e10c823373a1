-- Credits one entry, already summed, each sum once and in one order for every caller. False when it was credited before.
-- One call is one transaction. p_recent: the shares as they came. Arrays by group: sums, rejections, sums by account, and
-- the work of the rejections, which recorders of before do not give. A rig is known from its first credited share on; what is
-- refused before that counts for nobody.
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
    FROM unnest(p_accounts, p_rigs) AS s (account, name)
    WHERE NOT EXISTS (SELECT FROM rig r WHERE r.account = s.account AND r.name = s.name)
    ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    PERFORM know_accounts(p_accounts);
  END IF;

  INSERT INTO bucket (rig_id, starts_at, shares, work)
    SELECT r.id, greatest(to_timestamp(s.starts), v_closed) AS at, sum(s.shares), sum(s.work)
    FROM unnest(p_accounts, p_rigs, p_starts, p_shares, p_work) AS s (account, name, starts, shares, work)
    JOIN rig r ON r.account = s.account AND r.name = s.name
    GROUP BY r.id, at ORDER BY r.id, at
  ON CONFLICT (rig_id, starts_at) DO UPDATE
    SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work;

  IF cardinality(p_no_accounts) > 0 THEN
    INSERT INTO rig (account, name) SELECT '', '' WHERE NOT EXISTS (SELECT FROM rig WHERE account = '' AND name = '')
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO rejection (rig_id, starts_at, reason, submits, work)
    SELECT coalesce(r.id, nobody.id) AS rig_id, greatest(to_timestamp(s.starts), v_closed) AS at, s.reason, sum(s.submits), coalesce(sum(s.work), 0)
    FROM unnest(p_no_accounts, p_no_rigs, p_no_starts, p_no_reasons, p_no_submits, p_no_work)
      AS s (account, name, starts, reason, submits, work)
    JOIN rig nobody ON nobody.account = '' AND nobody.name = ''
    LEFT JOIN rig r ON r.account = s.account AND r.name = s.name
    GROUP BY 1, at, s.reason ORDER BY 1, at, s.reason
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

-- Starts of buckets, none later than the one of now: shares of a bridge whose clock is ahead would lie in no block's window.
CREATE FUNCTION not_later(p_starts bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(array_agg(least(s, floor(extract(epoch FROM now()) / 10)::bigint * 10) ORDER BY i), '{}')
  FROM unnest(p_starts) WITH ORDINALITY AS u (s, i)
$$;
