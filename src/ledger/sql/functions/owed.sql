CREATE FUNCTION see_owed() RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_at timestamptz := date_bin('10 minutes', now(), 'epoch');
BEGIN
  -- Looked for first, since it is a sum over all accounts.
  IF EXISTS (SELECT FROM owed WHERE starts_at = v_at) THEN
    RETURN;
  END IF;
  INSERT INTO owed (starts_at, balance, held, paying)
    SELECT v_at, coalesce(sum(amount) FILTER (WHERE book = 'balance'), 0), coalesce(sum(amount) FILTER (WHERE book = 'held'), 0),
           coalesce(sum(amount) FILTER (WHERE book = 'paying'), 0)
    FROM money WHERE account_id <> 0
  ON CONFLICT DO NOTHING;
  -- No chart shows more than a year.
  DELETE FROM owed WHERE starts_at < now() - interval '366 days';
END
$$;
