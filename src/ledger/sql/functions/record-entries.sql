-- Entries come in any order: how far a producer is, is known once none is missing before. What a bridge calls the future is now.
CREATE FUNCTION look_at_producer(p_producer uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE producer SET watermark = greatest(watermark, least(declared_watermark, now())), ended = ended OR declared_end
  WHERE id = p_producer AND declared_number > 0 AND numbers @> int8range(1, greatest(1, declared_number), '[]')
$$;

-- Nothing of this entry will come: what waits for it waits no longer.
CREATE FUNCTION give_up_entry(p_producer uuid, p_number bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  INSERT INTO producer (id, numbers) VALUES (p_producer, int8multirange(int8range(p_number, p_number, '[]')))
    ON CONFLICT (id) DO UPDATE SET numbers = producer.numbers + excluded.numbers;
  PERFORM look_at_producer(p_producer);
END
$$;

-- Takes note of one entry; false when it is booked already.
CREATE FUNCTION take_entry(
  p_producer uuid, p_number bigint, p_watermark timestamptz, p_ends boolean, p_shares bigint, p_work numeric
) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO producer (id) VALUES (p_producer) ON CONFLICT DO NOTHING;
  UPDATE producer SET heard_at = now(), numbers = numbers + int8multirange(int8range(p_number, p_number, '[]'))
    WHERE id = p_producer AND NOT numbers @> p_number;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE producer SET declared_number = p_number, declared_shares = p_shares, declared_work = p_work,
      declared_watermark = greatest(declared_watermark, p_watermark), declared_end = p_ends
    WHERE id = p_producer AND declared_number < p_number;
  PERFORM look_at_producer(p_producer);
  RETURN true;
END
$$;

-- Books entries, each unless it is booked already. Returns the places of those that were not. One call is one transaction, and
-- every caller goes in one order. A rig is known from its first booked share on; what is refused before that counts for nobody.
--   p_entries   place, producer, number, watermark (ms), ends, shares, work: what the producer accepted in all
--   p_sums      place of its entry, account, rig, slot, kind, submits, work, expected
CREATE FUNCTION record_entries(p_entries json, p_sums json) RETURNS integer[]
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_entry record;
  v_new integer[] := '{}';
  v_closed timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  FOR v_entry IN
    SELECT * FROM json_to_recordset(p_entries)
      AS e (place integer, producer uuid, number bigint, watermark float8, ends boolean, shares bigint, work numeric)
    ORDER BY producer, number
  LOOP
    IF take_entry(v_entry.producer, v_entry.number, to_timestamp(v_entry.watermark / 1000), v_entry.ends, v_entry.shares, v_entry.work) THEN
      v_new := v_new || v_entry.place;
    END IF;
  END LOOP;
  SELECT until INTO STRICT v_closed FROM closed;

  INSERT INTO rig (account, name)
    SELECT DISTINCT account, rig FROM json_to_recordset(p_sums) AS s (place integer, account text, rig text, kind text)
    WHERE place = ANY (v_new) AND kind = 'accepted' AND NOT EXISTS (SELECT FROM rig r WHERE r.account = s.account AND r.name = s.rig)
    UNION SELECT '', '' FROM json_to_recordset(p_sums) AS s (place integer, kind text)
    WHERE place = ANY (v_new) AND kind <> 'accepted' AND NOT EXISTS (SELECT FROM rig WHERE account = '' AND name = '')
    ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    PERFORM know_accounts(array_agg(account)) FROM json_to_recordset(p_sums) AS s (place integer, account text, kind text)
      WHERE place = ANY (v_new) AND kind = 'accepted' HAVING count(*) > 0;
  END IF;

  WITH part AS MATERIALIZED (
    SELECT s.*, e.producer, coalesce(r.id, nobody.id) AS rig_id,
           greatest(least(to_timestamp(10 * s.slot), date_bin('10 seconds', now(), 'epoch')), v_closed) AS at
    FROM json_to_recordset(p_sums) AS s (
      place integer, account text, rig text, slot bigint, kind text, submits bigint, work numeric, expected numeric)
    JOIN json_to_recordset(p_entries) AS e (place integer, producer uuid) USING (place)
    LEFT JOIN rig nobody ON nobody.account = '' AND nobody.name = ''
    LEFT JOIN rig r ON r.account = s.account AND r.name = s.rig
    WHERE place = ANY (v_new)
  ), accepted AS (
    INSERT INTO bucket (rig_id, starts_at, shares, work)
      SELECT rig_id, at, sum(submits), sum(work) FROM part WHERE kind = 'accepted' GROUP BY rig_id, at ORDER BY rig_id, at
    ON CONFLICT (rig_id, starts_at) DO UPDATE
      SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work
  ), refused AS (
    INSERT INTO rejection (rig_id, starts_at, reason, submits, work)
      SELECT rig_id, at, kind, sum(submits), sum(work) FROM part WHERE kind <> 'accepted' GROUP BY rig_id, at, kind ORDER BY rig_id, at, kind
    ON CONFLICT (rig_id, starts_at, reason) DO UPDATE
      SET submits = rejection.submits + excluded.submits, work = rejection.work + excluded.work
  ), done AS (
    INSERT INTO round_work (round_id, account, shares, work, expected)
      SELECT (SELECT id FROM round WHERE solution_id IS NULL), account, sum(submits), sum(work), sum(expected)
      FROM part WHERE kind = 'accepted' GROUP BY account ORDER BY account
    ON CONFLICT (round_id, account) DO UPDATE
      SET shares = round_work.shares + excluded.shares, work = round_work.work + excluded.work,
          expected = round_work.expected + excluded.expected
  ), booked AS (
    UPDATE producer SET shares = producer.shares + brought.shares, work = producer.work + brought.work
    FROM (SELECT producer, sum(submits) AS shares, sum(work) AS work FROM part WHERE kind = 'accepted' GROUP BY producer) brought
    WHERE id = brought.producer
  )
  INSERT INTO booked_slot SELECT min(at) FROM part HAVING count(*) > 0;
  RETURN v_new;
END
$$;
