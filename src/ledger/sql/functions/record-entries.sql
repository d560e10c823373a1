-- Entries come in any order: how far a producer is, is known once none is missing before. What a bridge calls the future is now.
CREATE FUNCTION look_at_producer(p_producer uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE producer SET watermark = greatest(watermark, least(declared_watermark, now())), ended = ended OR declared_end
  WHERE id = p_producer AND declared_number > 0 AND numbers @> int8range(1, greatest(1, declared_number), '[]')
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
      declared_watermark = greatest(declared_watermark, least(p_watermark, now())), declared_end = p_ends
    WHERE id = p_producer AND declared_number < p_number;
  PERFORM look_at_producer(p_producer);
  RETURN true;
END
$$;

-- Books entries, each unless it is booked already. Returns the places of those that were not. One call is one transaction, and
-- every caller goes in one order. A rig is known from its first booked share on; what is refused before that counts for nobody.
--   p_entries   place, producer, number, watermark (ms), ends, shares, work: what the producer accepted in all
--   p_sums      place of its entry, account, rig, slot, kind (src/ledger/recording/kinds.ts), submits, work, expected, best
CREATE FUNCTION record_entries(p_entries json, p_sums json) RETURNS integer[]
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_entry record;
  v_new integer[] := '{}';
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
  PERFORM apply_sums(array_agg(account), array_agg(rig), array_agg(slot), array_agg(kind), array_agg(submits), array_agg(work),
                     array_agg(expected), array_agg(best))
    FROM json_to_recordset(p_sums) AS s (place integer, account text, rig text, slot bigint, kind smallint, submits bigint, work numeric,
                                         expected numeric, best float8)
    WHERE place = ANY (v_new) HAVING count(*) > 0;

  UPDATE producer SET shares = producer.shares + brought.shares, work = producer.work + brought.work
  FROM (
    SELECT e.producer, sum(s.submits) AS shares, sum(s.work) AS work
    FROM json_to_recordset(p_sums) AS s (place integer, kind smallint, submits bigint, work numeric)
    JOIN json_to_recordset(p_entries) AS e (place integer, producer uuid) USING (place)
    WHERE place = ANY (v_new) AND kind = 0 GROUP BY e.producer) AS brought
  WHERE id = brought.producer;
  RETURN v_new;
END
$$;
