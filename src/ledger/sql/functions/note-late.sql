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
