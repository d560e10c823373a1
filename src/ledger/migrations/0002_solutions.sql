-- Solutions: one row for each winning header, from found to its last word.

CREATE TABLE solution (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pow_hash bytea NOT NULL UNIQUE,
  header bytea NOT NULL,
  chain_id integer NOT NULL,
  height bigint NOT NULL,
  parent bytea NOT NULL,
  nonce numeric(20, 0) NOT NULL,
  -- Microseconds since the epoch, as in the header.
  creation_time bigint NOT NULL,
  block_difficulty numeric NOT NULL,
  node text NOT NULL,
  account text NOT NULL,
  rig text NOT NULL,
  found_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('found', 'received', 'refused', 'lost', 'perhaps')),
  detail text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX solution_by_place ON solution (chain_id, height);
