-- Sums up rounds that have ended, at most p_most of them. Returns how many there were. Rounds end in the order of their numbers.
CREATE FUNCTION sum_rounds(p_most integer) RETURNS bigint
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  WITH ended AS (
    SELECT id, solution_id FROM round
    WHERE solution_id IS NOT NULL AND id > (SELECT coalesce(max(round_id), 0) FROM round_sum) ORDER BY id LIMIT p_most
  ), made AS (
    INSERT INTO round_sum (round_id, solution_id, found_at, work, effort)
      SELECT e.id, s.id, s.found_at, coalesce(sum(w.work), 0), coalesce(sum(w.work), 0) / s.block_difficulty
      FROM ended e JOIN solution s ON s.id = e.solution_id LEFT JOIN round_work w ON w.round_id = e.id GROUP BY e.id, s.id
    ON CONFLICT DO NOTHING
  )
  SELECT count(*) FROM ended
$$;
