-- Blocks that could still leave the chain and have made a miner's balance larger.
CREATE FUNCTION unsettled_payers() RETURNS SETOF block LANGUAGE sql STABLE AS $$
  SELECT * FROM block b WHERE b.posted_at IS NOT NULL AND (NOT b.settled OR b.due) AND EXISTS (
    SELECT FROM block_split c WHERE c.solution_id = b.solution_id AND array_remove(c.accounts, 0) <> '{}')
$$;
