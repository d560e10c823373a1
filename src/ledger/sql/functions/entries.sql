-- Replaces rows of table entry that are older than p_age by ranges. Returns how many rows it replaced.
CREATE FUNCTION compact_entries(p_age interval) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(books_lock());
  WITH old AS (
    DELETE FROM entry WHERE recorded_at < now() - p_age RETURNING producer, number
  ), kept AS (
    INSERT INTO credited (producer, numbers)
      SELECT producer, range_agg(int8range(number, number, '[]')) FROM old GROUP BY producer
    ON CONFLICT (producer) DO UPDATE SET numbers = credited.numbers + excluded.numbers
  )
  SELECT count(*) INTO v_rows FROM old;
  RETURN v_rows;
END
$$;
