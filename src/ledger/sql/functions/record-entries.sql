-- null while that log is not booked up to there.
CREATE FUNCTION slot_when_booked(p_log uuid, p_found_at timestamptz) RETURNS timestamptz
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  SELECT open_slot(p_found_at) FROM log WHERE id = p_log AND (ended OR watermark >= p_found_at)
$$;

-- Blocks of this log that it is booked up to now get their slot, and with it their round.
CREATE FUNCTION place_blocks(p_log uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE block b SET slot = slot_when_booked(s.log, s.found_at) FROM solution s WHERE s.id = b.solution_id AND b.slot IS NULL AND s.log = p_log
$$;

-- Entries come in any order: how far a log is, is known once none is missing before. A time that has not come yet says nothing until it
-- has: its clock is fast, and shares of now are still to come.
CREATE FUNCTION look_at_log(p_log uuid) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  UPDATE log SET ended = declared_end OR ended AND ended_by IS NOT NULL,
    watermark = greatest(watermark, CASE WHEN declared_watermark <= now() THEN declared_watermark WHEN ahead <= now() THEN ahead END),
    ahead = CASE WHEN ahead > now() THEN ahead ELSE declared_watermark END
  WHERE id = p_log AND declared_number > 0 AND numbers @> int8range(1, greatest(1, declared_number), '[]');
  SELECT place_blocks(p_log);
$$;

-- Another one than this is booked under its number, and nobody has given this one up.
CREATE FUNCTION is_conflict(p_log uuid, p_number bigint, p_shares bigint, p_work numeric) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT EXISTS (SELECT FROM entry WHERE log = p_log AND number = p_number AND (shares, work) <> (p_shares, p_work))
    AND NOT EXISTS (SELECT FROM given_up WHERE log = p_log AND p_number BETWEEN number AND last_number AND is_whole)
$$;

-- Takes note of one entry. What became of it: recorded, repeated (it is booked already), conflict.
CREATE FUNCTION take_entry(
  p_log uuid, p_number bigint, p_watermark timestamptz, p_ends boolean, p_shares bigint, p_work numeric
) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET heard_at = now(), numbers = numbers + int8multirange(int8range(p_number, p_number, '[]'))
    WHERE id = p_log AND NOT numbers @> p_number;
  IF NOT FOUND THEN
    RETURN CASE WHEN is_conflict(p_log, p_number, p_shares, p_work) THEN 'conflict' ELSE 'repeated' END;
  END IF;
  INSERT INTO entry (log, number, shares, work) VALUES (p_log, p_number, p_shares, p_work);
  UPDATE log SET declared_number = p_number, declared_shares = p_shares, declared_work = p_work,
      declared_watermark = greatest(declared_watermark, p_watermark), declared_end = p_ends
    WHERE id = p_log AND declared_number < p_number;
  PERFORM look_at_log(p_log);
  RETURN 'recorded';
END
$$;

-- A last word is never taken back by a late 'found', nor a node's yes by anything. What a node may have taken is followed as a block. What was
-- seen on its chain before its log named it has a finder now.
CREATE FUNCTION take_solution(v solution_word) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  WITH written AS (
    INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig, found_at, log, state, detail)
    VALUES (decode(v.pow_hash, 'hex'), decode(v.header, 'hex'), v.chain_id, v.height, decode(v.parent, 'hex'), v.nonce, v.creation_time,
            v.block_difficulty, v.node, v.account, v.rig, least(to_timestamp(v.found_at / 1000), now()), v.log, v.state, v.detail)
    ON CONFLICT (pow_hash) DO UPDATE SET state = excluded.state, detail = excluded.detail, changed_at = now(), node = excluded.node,
      account = excluded.account, rig = excluded.rig, found_at = excluded.found_at, log = excluded.log
    WHERE (excluded.state <> 'found' OR solution.state = 'unclaimed') AND solution.state <> 'received'
    RETURNING id, state, log, found_at
  )
  INSERT INTO block (solution_id, hash, slot)
    SELECT id, decode(v.hash, 'hex'), slot_when_booked(log, found_at) FROM written
    WHERE state IN ('received', 'perhaps', 'lost') OR EXISTS (SELECT FROM block WHERE solution_id = id)
  ON CONFLICT (solution_id) DO UPDATE SET state = 'pending', slot = excluded.slot, changed_at = now()
  WHERE block.state IN ('unclaimed', 'disowned');
$$;

-- Books entries, each unless it is booked already. Returns the places of those that were not, and of those that are not what is booked under
-- their number. One call is one transaction, and
-- every caller goes in one order. A rig is known from its first booked share on; what is refused before that counts for nobody.
--   p_entries   place, log, number, watermark (ms), ends, shares, work: what the log accepted in all
--   p_sums      place of its entry, account, rig, slot, kind (src/ledger/recording/kinds.ts), submits, work, expected, best
--   p_solutions place of its entry, and columns of solution and block; of one solution what was first before what became of it
CREATE FUNCTION record_entries(p_entries json, p_sums json, p_solutions json, OUT recorded integer[], OUT conflicting integer[])
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_entry record;
BEGIN
  recorded := '{}';
  conflicting := '{}';
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  FOR v_entry IN
    SELECT * FROM json_to_recordset(p_entries)
      AS e (place integer, log uuid, number bigint, watermark float8, ends boolean, shares bigint, work numeric)
    ORDER BY log, number
  LOOP
    CASE take_entry(v_entry.log, v_entry.number, to_timestamp(v_entry.watermark / 1000), v_entry.ends, v_entry.shares, v_entry.work)
      WHEN 'recorded' THEN recorded := recorded || v_entry.place;
      WHEN 'conflict' THEN conflicting := conflicting || v_entry.place;
      ELSE NULL;
    END CASE;
  END LOOP;
  PERFORM apply_sums(array_agg(account), array_agg(rig), array_agg(slot), array_agg(kind), array_agg(submits), array_agg(work),
                     array_agg(expected), array_agg(best))
    FROM json_to_recordset(p_sums) AS s (place integer, account text, rig text, slot bigint, kind smallint, submits bigint, work numeric,
                                         expected numeric, best float8)
    WHERE place = ANY (recorded) HAVING count(*) > 0;

  UPDATE log SET shares = log.shares + brought.shares, work = log.work + brought.work
  FROM (
    SELECT e.log, sum(s.submits) AS shares, sum(s.work) AS work
    FROM json_to_recordset(p_sums) AS s (place integer, kind smallint, submits bigint, work numeric)
    JOIN json_to_recordset(p_entries) AS e (place integer, log uuid) USING (place)
    WHERE place = ANY (recorded) AND kind = 0 GROUP BY e.log) AS brought
  WHERE id = brought.log;
  PERFORM take_solution(v) FROM json_populate_recordset(NULL::solution_word, p_solutions) AS v WHERE place = ANY (recorded);
END
$$;
