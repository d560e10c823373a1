-- What blocks would bring that are not split yet, by account: by who worked for them, by what they pay, or the last block of their chain did, and by
-- the fees of when they were found. A rest below a unit is the operator's. p_block: of one alone; null for all.
CREATE FUNCTION expected_of(p_block bigint) RETURNS TABLE (account_id integer, amount numeric)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  WITH pending AS MATERIALIZED (
    SELECT b.solution_id AS id, b.slot, b.scheme, b.fee_basis_points AS fee, least(s.found_at, b.slot) AS at,
           CASE b.state WHEN 'pending' THEN c.reward ELSE b.reward + b.fees END AS reward,
           (SELECT coalesce(max(slot), 'epoch') FROM block e WHERE e.slot < b.slot AND e.state IN ('pending', 'confirmed')) AS before
    FROM block b JOIN solution s ON s.id = b.solution_id LEFT JOIN chain c ON c.id = s.chain_id
    WHERE b.state IN ('pending', 'confirmed') AND b.split_from IS NULL AND b.weighed_at IS NOT NULL AND (p_block IS NULL OR b.solution_id = p_block)
  ), round AS (
    -- Under prop those too that ended with a block which is not on its chain. All blocks of a slot have the same.
    SELECT id, id AS weighed FROM pending WHERE scheme IN ('pplns', 'solo')
    UNION ALL
    SELECT p.id, r.weighed FROM pending p CROSS JOIN LATERAL (
      SELECT DISTINCT ON (slot) solution_id AS weighed FROM block
      WHERE scheme = 'prop' AND slot > p.before AND slot <= p.slot ORDER BY slot, solution_id) r
    WHERE p.scheme = 'prop'
  ), weight AS MATERIALIZED (
    SELECT r.id, u.account, sum(u.work) AS work
    FROM round r JOIN block_weight w ON w.solution_id = r.weighed, unnest(w.accounts, w.work) AS u (account, work) GROUP BY 1, 2
  ), part AS (
    SELECT w.id, w.account, trunc(p.reward * (10000 - coalesce(own.basis_points, p.fee)) * w.work / (10000 * all_work.work), 12) AS amount
    FROM weight w JOIN pending p USING (id) JOIN (SELECT id, sum(work) AS work FROM weight GROUP BY 1) all_work USING (id)
    LEFT JOIN LATERAL (
      SELECT basis_points FROM account_fee f WHERE f.account_id = w.account AND f.valid_from <= p.at ORDER BY f.valid_from DESC LIMIT 1) own ON true
    WHERE w.account > 0
  )
  SELECT account, sum(amount) FROM (
    SELECT account, amount FROM part UNION ALL SELECT 0, reward FROM pending UNION ALL SELECT 0, -amount FROM part) AS parts
  GROUP BY account HAVING sum(amount) > 0
$$;

-- Who got how much of a block, or is expected to. Nothing is left of one whose day is closed.
CREATE FUNCTION split_of(p_block bigint) RETURNS TABLE (account_id integer, amount numeric)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT t.credit, t.amount FROM block b JOIN transfer t ON t.code IN ('block', 'fee') AND t.of = b.solution_id AND t.time = b.splits
  WHERE b.solution_id = p_block AND b.split_from IS NOT NULL
  UNION ALL SELECT * FROM expected_of(p_block)
$$;
