-- Blocks as followed on the chain, and money in double entry.

-- A solution that a node may have taken. states: pending (no node has shown it yet), onChain, confirmed (deep enough),
-- orphaned (nodes know it, off their chain), unknown (nodes have gone past its height without it).
CREATE TABLE block (
  solution_id bigint PRIMARY KEY REFERENCES solution,
  hash bytea NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'onChain', 'confirmed', 'orphaned', 'unknown')),
  depth integer NOT NULL DEFAULT 0,
  -- The highest height seen while it was followed: where the next look begins.
  tip_height bigint NOT NULL,
  -- Times that its credits were moved from one book to another.
  moves integer NOT NULL DEFAULT 0,
  reward numeric(38, 12),
  reward_source text,
  scheme text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  checked_at timestamptz,
  -- Too deep, or too old, to be looked at again.
  settled boolean NOT NULL DEFAULT false
);
CREATE INDEX block_followed ON block (solution_id) WHERE NOT settled;

-- Solutions that were received before this table was.
INSERT INTO block (solution_id, hash, tip_height)
  SELECT id, '', height FROM solution WHERE state IN ('received', 'perhaps', 'lost');

-- Who gets what of a block, decided when it is first seen on the chain. Account '' is the operator.
CREATE TABLE block_credit (
  solution_id bigint NOT NULL REFERENCES block,
  account text NOT NULL,
  amount numeric(38, 12) NOT NULL CHECK (amount > 0),
  PRIMARY KEY (solution_id, account)
);

-- Payouts: prepared, then marked by the operator. What is prepared or unknown stays on hold.
CREATE TABLE batch (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'prepared' CHECK (state IN ('prepared', 'sent', 'failed', 'unknown')),
  prepared_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  minimum numeric(38, 12) NOT NULL,
  note text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX one_prepared_batch ON batch ((true)) WHERE state = 'prepared';
CREATE TABLE batch_line (
  batch_id bigint NOT NULL REFERENCES batch,
  account text NOT NULL,
  amount numeric(38, 12) NOT NULL CHECK (amount > 0),
  PRIMARY KEY (batch_id, account)
);

-- Double entry. The lines of a posting sum to zero. owner '' is the operator. books:
--   rewards  what blocks brought (below zero by as much as was credited), operator only
--   pps      what shares were paid for at once (below zero by as much), operator only
--   held     of blocks that are not confirmed
--   balance  can be paid
--   paying   in a batch that is not settled
--   paid     gone
CREATE TABLE posting (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  kind text NOT NULL,
  solution_id bigint REFERENCES block,
  batch_id bigint REFERENCES batch,
  posted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX posting_of_block ON posting (solution_id);
CREATE INDEX posting_of_batch ON posting (batch_id);
CREATE TABLE posting_line (
  posting_id bigint NOT NULL REFERENCES posting,
  owner text NOT NULL,
  book text NOT NULL CHECK (book IN ('rewards', 'pps', 'held', 'balance', 'paying', 'paid')),
  amount numeric(38, 12) NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (posting_id, owner, book)
);

-- Sums of posting_line, kept so that reading a balance does not read its history.
CREATE TABLE balance (
  owner text NOT NULL,
  book text NOT NULL,
  amount numeric(38, 12) NOT NULL,
  PRIMARY KEY (owner, book)
);

-- The scheme that rounds are kept for.
CREATE TABLE scheme_in_use (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  scheme text NOT NULL
);

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
