-- Rounds stay as they ended: a block is paid by all work since the block before it that is on the chain. So when a block
-- leaves the chain or comes back, the split of the next one on the chain is made again.

-- Fees that a block is split with; NULL in rows of before, which are split with those of the moment.
ALTER TABLE block ADD COLUMN fees jsonb;
-- Times that its split was made again.
ALTER TABLE block ADD COLUMN splits integer NOT NULL DEFAULT 0;

-- Who worked for a pplns block whose reward is not known yet, as of when it was first seen on the chain.
CREATE TABLE block_weight (
  solution_id bigint NOT NULL REFERENCES block,
  account text NOT NULL,
  work numeric NOT NULL,
  PRIMARY KEY (solution_id, account)
);

-- Held by whoever moves a block: a move may touch another block's credits.
CREATE FUNCTION blocks_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 6559372518::bigint';
