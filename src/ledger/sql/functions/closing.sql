-- A turn of settlement. Whose lease has lapsed is missed for one more turn, of 30 s at the most: what nobody could be heard in does not count.
CREATE FUNCTION take_turn() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_last timestamptz;
BEGIN
  SELECT turn_at INTO STRICT v_last FROM closed FOR UPDATE;
  UPDATE closed SET turn_at = now(), calm_since = CASE WHEN v_last < now() - interval '15 seconds' THEN now() ELSE calm_since END;
  UPDATE log SET waited = CASE WHEN is_leased(heard_at) THEN interval '0'
      ELSE waited + greatest(interval '0', least(now() - v_last, interval '30 seconds')) END
    WHERE NOT ended AND NOT (is_leased(heard_at) AND waited = interval '0');
END
$$;

-- A lease is renewed each ten seconds.
CREATE FUNCTION is_leased(p_heard_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_heard_at >= now() - interval '30 seconds'
$$;

-- Until when all that was accepted is in the books. A log whose lease lapsed p_patience ago is waited for no longer; its own blocks wait for it all
-- the same. Nothing is known in the first 30 s after the books were away: whoever lives has said so by then.
CREATE FUNCTION known_until(p_patience interval) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN calm_since + interval '30 seconds' > now() THEN timestamptz 'epoch'
    ELSE (SELECT least(now(), min(watermark)) FROM log WHERE NOT ended AND (is_leased(heard_at) OR waited < p_patience)) END
  FROM closed
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
