-- What stands in the books for a block, or is expected to.
CREATE FUNCTION split_of(p_block bigint) RETURNS TABLE (account_id integer, amount numeric)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT account, sum(amount) FROM block_split, unnest(accounts, amounts) AS u (account, amount)
  WHERE solution_id = p_block GROUP BY account HAVING sum(amount) <> 0
$$;
