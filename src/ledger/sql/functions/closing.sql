-- Closes all buckets that start before p_until (rounded down to whole buckets), and none that begins in the future. A time
-- that lies in the future comes from a clock that was wrong and is brought back to where upkeep leaves it.
CREATE FUNCTION close_buckets(p_until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(books_lock());
  UPDATE closed SET until = date_bin('10 seconds', now() - interval '1 hour', 'epoch') WHERE until > now();
  UPDATE closed SET until = greatest(until, date_bin('10 seconds', least(p_until, now()), 'epoch'));
END
$$;
