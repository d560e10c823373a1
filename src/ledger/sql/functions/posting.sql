CREATE FUNCTION period_of(p_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
  $$ SELECT date_bin('10 minutes', p_at, 'epoch') $$;

-- Adds to the postings of a period (null: that of now) and to the balances.
CREATE FUNCTION post(p_period timestamptz, p_cause text, p_accounts integer[], p_books text[], p_amounts numeric[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_sum numeric;
BEGIN
  SELECT coalesce(sum(a), 0) INTO v_sum FROM unnest(p_amounts) AS a;
  IF v_sum <> 0 THEN
    RAISE EXCEPTION 'a posting (%) does not balance: its lines sum to %', p_cause, v_sum;
  END IF;
  PERFORM pg_advisory_xact_lock(money_lock());
  WITH line AS (
    SELECT l.account_id, l.book, sum(l.amount) AS amount
    FROM unnest(p_accounts, p_books, p_amounts) AS l (account_id, book, amount)
    GROUP BY l.account_id, l.book HAVING sum(l.amount) <> 0
  ), posted AS (
    INSERT INTO posting (period, cause, account_id, book, amount)
      SELECT coalesce(p_period, period_of(now())), p_cause, account_id, book, amount FROM line
    ON CONFLICT (period, cause, account_id, book) DO UPDATE SET amount = posting.amount + excluded.amount
  )
  INSERT INTO balance (account_id, book, amount) SELECT account_id, book, amount FROM line
    ON CONFLICT (account_id, book) DO UPDATE SET amount = balance.amount + excluded.amount;
END
$$;
