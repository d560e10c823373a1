-- When nodes last put a block on the chain and none said otherwise. A look that nobody answered does not count.
ALTER TABLE block ADD COLUMN seen_at timestamptz;
