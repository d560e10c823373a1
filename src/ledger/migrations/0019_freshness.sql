-- How long jobs took to the rigs, as counts by size, of all bridges together: a row a step of each length that is shown, and
-- as many steps as are shown.
CREATE TABLE freshness (
  step_seconds integer NOT NULL CHECK (step_seconds > 0),
  starts_at timestamptz NOT NULL,
  -- From 0.1 ms on, four sizes in a doubling.
  counts bigint[] NOT NULL CHECK (cardinality(counts) = 80),
  PRIMARY KEY (step_seconds, starts_at)
);
