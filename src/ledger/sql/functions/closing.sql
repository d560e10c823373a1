-- Until when all that was accepted is in the books. A producer that was silent for p_patience is waited for no longer.
CREATE FUNCTION known_until(p_patience interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT least(now(), min(watermark)) FROM producer WHERE NOT ended AND heard_at >= now() - p_patience
$$;

-- The slot of what happened at this time, or the first open one. It stays open until the transaction ends.
CREATE FUNCTION open_slot(p_at timestamptz) RETURNS timestamptz
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(books_lock());
  RETURN (SELECT greatest(date_bin('10 seconds', least(p_at, now()), 'epoch'), until) FROM closed);
END
$$;

-- Closes all slots that end by p_until and by known_until, and tells from where on they are open. A time that lies in the future comes
-- from a clock that was wrong and is brought back.
CREATE FUNCTION close_slots(p_until timestamptz, p_patience interval) RETURNS timestamptz
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_until timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(books_lock());
  UPDATE closed SET until = date_bin('10 seconds', now() - interval '1 hour', 'epoch') WHERE until > now();
  UPDATE closed SET until = greatest(until, date_bin('10 seconds', least(p_until, known_until(p_patience)), 'epoch'))
    RETURNING until INTO STRICT v_until;
  RETURN v_until;
END
$$;
