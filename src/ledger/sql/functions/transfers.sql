-- The account of a chain: what its blocks brought is its debit, and what was paid on it its credit. So its balance, with the other sign, is what the
-- pool should have there. Null: of what was paid where nobody has said.
CREATE FUNCTION chain_account(p_chain integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce(-1 - p_chain, -2147483648) $$;

CREATE FUNCTION period_of(p_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
  $$ SELECT date_bin('10 minutes', p_at, 'epoch') $$;

-- Moves money, each cause once for ever: one that was there before is refused. One transaction at a time does, and takes balances in order.
CREATE FUNCTION transfer_money(p_moves money_move[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(money_lock());
  PERFORM know_chains((SELECT array_agg(least(debit, credit)) FROM unnest(p_moves)));
  WITH moved AS (
    INSERT INTO transfer (code, of, time, debit, credit, amount)
      SELECT code, of, time, debit, credit, amount FROM unnest(p_moves) WHERE amount > 0
    RETURNING code, debit, credit, amount
  )
  INSERT INTO balance (account_id, amount, paid)
    SELECT account_id, sum(amount), sum(paid) FROM (
      SELECT debit AS account_id, -amount AS amount, CASE code WHEN 'paid' THEN amount ELSE 0 END AS paid FROM moved
      UNION ALL SELECT credit, amount, CASE code WHEN 'paid reversed' THEN -amount ELSE 0 END FROM moved) AS sides
    GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET amount = balance.amount + excluded.amount, paid = balance.paid + excluded.paid;
END
$$;

-- Makes accounts of chains that are missing. No login has such a key: those are of text, and these begin with a zero byte.
CREATE FUNCTION know_chains(p_accounts integer[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO account (id, name, key) OVERRIDING SYSTEM VALUE
    SELECT id, name, '\x00'::bytea || convert_to(name, 'UTF8') FROM (
      SELECT DISTINCT id, CASE id WHEN chain_account(NULL) THEN 'elsewhere' ELSE 'chain ' || -1 - id END AS name
      FROM unnest(p_accounts) AS u (id) WHERE id < 0) AS chains
    WHERE NOT EXISTS (SELECT FROM account a WHERE a.id = chains.id)
  ON CONFLICT DO NOTHING
$$;

-- Takes back what was moved for a block the last time. False where nothing of that is left, as it was closed.
CREATE FUNCTION reverse_block(p_block bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_moves money_move[];
BEGIN
  SELECT array_agg(('block reversed', t.of, t.time, t.credit, t.debit, t.amount)::money_move) INTO v_moves
    FROM block b JOIN transfer t ON t.code IN ('block', 'fee') AND t.of = b.solution_id AND t.time = b.splits WHERE b.solution_id = p_block;
  PERFORM transfer_money(v_moves);
  RETURN v_moves IS NOT NULL;
END
$$;

-- Payments that were made, or were not after all.
CREATE FUNCTION transfer_payments(p_payments bigint[], p_were_made boolean) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE payment SET times_paid = times_paid + 1 WHERE p_were_made AND id = ANY (p_payments);
  PERFORM transfer_money(array_agg(CASE WHEN p_were_made
      THEN ('paid', id, times_paid, account_id, chain_account(chain_id), amount)::money_move
      ELSE ('paid reversed', id, times_paid, chain_account(chain_id), account_id, amount)::money_move END))
    FROM payment WHERE id = ANY (p_payments);
END
$$;

-- What an account has, as amounts in words. is_known: something was ever moved.
CREATE FUNCTION money_of(p_account integer) RETURNS TABLE (due text, paying text, paid text, is_known boolean)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT coalesce(sum(due), 0)::numeric(38, 12)::text, coalesce(sum(paying), 0)::numeric(38, 12)::text,
         coalesce(sum(paid), 0)::numeric(38, 12)::text, count(*) > 0
  FROM money WHERE account_id = p_account
$$;
