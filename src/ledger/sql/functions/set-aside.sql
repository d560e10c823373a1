-- Nothing of this entry will come: what waits for it waits no longer, and no share log brings it again. p_total_shares, p_total_work: of its
-- log up to it, null where that cannot be read.
CREATE FUNCTION give_up_entry(
  p_log uuid, p_number bigint, p_by text, p_shares bigint, p_work numeric, p_total_shares bigint, p_total_work numeric
) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET numbers = numbers + int8multirange(int8range(p_number, p_number, '[]'))
    WHERE id = p_log AND NOT numbers @> p_number;
  IF FOUND OR is_conflict(p_log, p_number, p_total_shares, p_total_work) THEN
    INSERT INTO given_up (log, number, last_number, is_whole, shares, work, given_up_by)
      VALUES (p_log, p_number, p_number, true, p_shares, p_work, p_by);
    PERFORM look_at_log(p_log);
  END IF;
END
$$;

-- Nobody has these entries any more: they were booked before the books went back to an earlier time, too long ago for a log to have kept them.
-- False when all of them are there.
CREATE FUNCTION give_up_gone(p_log uuid, p_first bigint, p_last bigint, p_by text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  INSERT INTO log (id) VALUES (p_log) ON CONFLICT DO NOTHING;
  UPDATE log SET numbers = numbers + int8multirange(int8range(p_first, p_last, '[]'))
    WHERE id = p_log AND NOT numbers @> int8range(p_first, p_last, '[]');
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO given_up (log, number, last_number, is_whole, shares, work, given_up_by) VALUES (p_log, p_first, p_last, true, 0, 0, p_by);
  PERFORM look_at_log(p_log);
  RETURN true;
END
$$;

-- Books a part that was set aside, as its entry would have. p_sums: as record_entries takes them.
CREATE FUNCTION book_part(p_log uuid, p_sums json) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  -- First, as recorders do.
  PERFORM FROM log WHERE id = p_log FOR UPDATE;
  PERFORM apply_sums(array_agg(account), array_agg(rig), array_agg(slot), array_agg(kind), array_agg(submits), array_agg(work),
                     array_agg(expected), array_agg(best))
    FROM json_to_recordset(p_sums) AS s (account text, rig text, slot bigint, kind smallint, submits bigint, work numeric,
                                         expected numeric, best float8);
  UPDATE log SET shares = log.shares + brought.shares, work = log.work + brought.work
  FROM (SELECT sum(submits) AS shares, sum(work) AS work
        FROM json_to_recordset(p_sums) AS s (kind smallint, submits bigint, work numeric) WHERE kind = 0 HAVING count(*) > 0) AS brought
  WHERE id = p_log;
END
$$;
