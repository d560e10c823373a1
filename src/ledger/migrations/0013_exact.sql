-- Who has a number is told apart by its start, and shares are late by the second.

DROP FUNCTION note_late(bigint[], bigint[], numeric[]);

-- Of shares just recorded, notes those that count for a block that was split before, each for the first block after it. They
-- come summed by the second of their acceptance; what was on its way for less than three seconds is no matter.
CREATE FUNCTION note_late(p_seconds bigint[], p_shares bigint[], p_work numeric[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  -- Of most entries, by one look into an index.
  IF NOT EXISTS (SELECT FROM solution WHERE found_at >=
      (SELECT to_timestamp(least(min(s) + 4, extract(epoch FROM now()))) FROM unnest(p_seconds) AS s)) THEN
    RETURN;
  END IF;
  INSERT INTO split_doubt (solution_id, kind, shares, work)
    SELECT block.solution_id, 'late', sum(late.shares), sum(late.work)
    FROM (SELECT s, sum(n) AS shares, sum(w) AS work FROM unnest(p_seconds, p_shares, p_work) AS u (s, n, w)
          WHERE s < extract(epoch FROM now()) GROUP BY s) late
    CROSS JOIN LATERAL (
      SELECT b.solution_id FROM solution JOIN block b ON b.solution_id = solution.id
      WHERE solution.found_at >= to_timestamp(late.s + 4) AND b.scheme IN ('pplns', 'prop')
      ORDER BY solution.found_at, solution.id LIMIT 1) block
    GROUP BY block.solution_id ORDER BY block.solution_id
  ON CONFLICT (solution_id, kind) DO UPDATE
    SET shares = split_doubt.shares + excluded.shares, work = split_doubt.work + excluded.work, noted_at = now();
END
$$;

-- Names that start among all starts, also of a copy of the data directory. Those that run now lease again.
ALTER TABLE instance ADD COLUMN run uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE instance ALTER COLUMN run DROP DEFAULT;

DROP FUNCTION lease_instance(uuid, text, integer, boolean, interval);

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
