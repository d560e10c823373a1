-- What an account has, as amounts in words. books: how many of its books have a row.
CREATE FUNCTION money_of(p_account integer) RETURNS TABLE (balance text, held text, paying text, paid text, books integer)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT coalesce(sum(amount) FILTER (WHERE book = 'balance'), 0)::numeric(38, 12)::text,
         coalesce(sum(amount) FILTER (WHERE book = 'held'), 0)::numeric(38, 12)::text,
         coalesce(sum(amount) FILTER (WHERE book = 'paying'), 0)::numeric(38, 12)::text,
         coalesce(sum(amount) FILTER (WHERE book = 'paid'), 0)::numeric(38, 12)::text, count(*)::integer
  FROM money WHERE account_id = p_account
$$;
