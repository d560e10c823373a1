-- Enters a posting, once for a key; false when it was entered before.
CREATE FUNCTION post(
  p_key text, p_kind text, p_solution bigint, p_batch bigint, p_owners text[], p_books text[], p_amounts numeric[]
) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_id bigint;
  v_sum numeric;
BEGIN
  SELECT coalesce(sum(a), 0) INTO v_sum FROM unnest(p_amounts) AS a;
  IF v_sum <> 0 THEN
    RAISE EXCEPTION 'posting % does not balance: its lines sum to %', p_key, v_sum;
  END IF;
  INSERT INTO posting (key, kind, solution_id, batch_id) VALUES (p_key, p_kind, p_solution, p_batch)
    ON CONFLICT (key) DO NOTHING RETURNING id INTO v_id;
  IF v_id IS NULL THEN
    RETURN false;
  END IF;
  PERFORM know_accounts(p_owners);
  WITH line AS (
    INSERT INTO posting_line (posting_id, owner, book, amount)
      SELECT v_id, l.owner, l.book, sum(l.amount)
      FROM unnest(p_owners, p_books, p_amounts) AS l (owner, book, amount)
      GROUP BY l.owner, l.book HAVING sum(l.amount) <> 0
    RETURNING owner, book, amount
  )
  INSERT INTO balance (owner, book, amount) SELECT owner, book, amount FROM line ORDER BY owner, book
    ON CONFLICT (owner, book) DO UPDATE SET amount = balance.amount + excluded.amount;
  RETURN true;
END
$$;
