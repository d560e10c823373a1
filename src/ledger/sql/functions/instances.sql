-- Leases p_wanted where it is free, else (but for p_only) one that nobody has, else the one that was silent the longest. Free is
-- what nobody has and what the owner has; to p_only also what was not heard of for p_lapse, for its bridge may yet be mining
-- where it cannot be heard. NULL when there is none.
CREATE FUNCTION lease_instance(
  p_owner uuid, p_run uuid, p_place text, p_wanted integer, p_only boolean, p_lapse interval
) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_number integer;
BEGIN
  LOCK TABLE instance IN SHARE ROW EXCLUSIVE MODE;
  SELECT n INTO v_number FROM generate_series(0, 127) AS n LEFT JOIN instance i ON i.number = n
    WHERE (i.number IS NULL OR i.owner = p_owner OR i.heard_at < now() - p_lapse)
      AND (n = p_wanted OR NOT p_only)
    ORDER BY n IS NOT DISTINCT FROM p_wanted AND (p_only OR i.number IS NULL OR i.owner = p_owner) DESC,
      i.heard_at NULLS FIRST, n LIMIT 1;
  DELETE FROM instance WHERE owner = p_owner;
  IF v_number IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO instance (number, owner, run, place) VALUES (v_number, p_owner, p_run, p_place)
    ON CONFLICT (number) DO UPDATE
      SET owner = excluded.owner, run = excluded.run, place = excluded.place, heard_at = now();
  RETURN v_number;
END
$$;
