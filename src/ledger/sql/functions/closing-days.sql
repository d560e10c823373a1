-- Transfers of so old a day are summed by debit, credit and code: else the table would grow with blocks times accounts for ever.

-- Of the transfers of a day, one after the other: of each cause first, so that no text is of all of them.
CREATE FUNCTION hash_of_day(p_day date, p_before bytea) RETURNS bytea
LANGUAGE sql STABLE SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
  SELECT sha256(p_before || convert_to(p_day::text, 'UTF8') || coalesce(string_agg(hash, ''::bytea ORDER BY code COLLATE "C", of, time), ''::bytea)) FROM (
    SELECT code, of, time, sha256(convert_to(
      string_agg(concat_ws(' ', code, of, time, debit, credit, amount, extract(epoch FROM at)), E'\n' ORDER BY debit, credit), 'UTF8')) AS hash
    FROM transfer WHERE at >= p_day AND at < p_day + 1 AND time > 0 GROUP BY code, of, time) AS causes
$$;

-- Closes the first day that is open and older than that; false where there is none. Nothing is moved in a day that is over, so nobody waits.
CREATE FUNCTION close_day(p_older interval) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET timezone = 'UTC'
AS $$
DECLARE
  v_day date;
  v_hash bytea;
BEGIN
  SELECT coalesce((SELECT max(day) + 1 FROM closed_day), (SELECT min(at)::date FROM transfer)) INTO v_day;
  IF v_day IS NULL OR v_day + 1 > now() - p_older THEN
    RETURN false;
  END IF;
  v_hash := hash_of_day(v_day, coalesce((SELECT hash FROM closed_day WHERE day = v_day - 1), ''));
  INSERT INTO closed_day (day, transfers, hash)
    SELECT v_day, count(*), v_hash FROM transfer WHERE at >= v_day AND at < v_day + 1 AND time > 0 ON CONFLICT DO NOTHING;
  -- Another bridge led for a moment.
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  WITH gone AS (
    DELETE FROM transfer WHERE at >= v_day AND at < v_day + 1 AND time > 0 RETURNING code, debit, credit, amount
  )
  INSERT INTO transfer (code, of, time, debit, credit, amount, at, transfers)
    SELECT code, v_day - date 'epoch', 0, debit, credit, sum(amount), v_day, count(*) FROM gone GROUP BY code, debit, credit;
  RETURN true;
END
$$;

-- Who worked for blocks that were settled before that, and whose rounds no block pays any more.
CREATE FUNCTION forget_weights(p_older interval) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  DELETE FROM block_weight w USING block b
  WHERE b.solution_id = w.solution_id AND b.changed_at < now() - p_older AND b.state NOT IN ('pending', 'unclaimed')
    AND b.slot < least(
      (SELECT coalesce(max(slot), '-infinity') FROM block WHERE split_from IS NOT NULL), (SELECT min(slot) FROM block WHERE state = 'pending'),
      (SELECT min(slot) FROM block WHERE state = 'confirmed' AND split_from IS NULL))
$$;
