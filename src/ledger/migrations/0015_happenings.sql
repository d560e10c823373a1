-- The one timeline of all bridges on these books, for people and programs. Nothing of the books depends on it.
CREATE TABLE happening (
  -- In the order in which they came here: who tells holds a lock, so that none appears below one that was seen.
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Names the start of the bridge that tells it, and the line among those of this start: told twice it is here once.
  run uuid NOT NULL DEFAULT gen_random_uuid(),
  number bigint NOT NULL DEFAULT 1,
  -- By the clock of who tells it.
  happened_at timestamptz NOT NULL DEFAULT now(),
  kind text NOT NULL,
  says text NOT NULL,
  facts jsonb NOT NULL,
  -- Of the bridge; NULL for what the books themselves tell.
  instance integer,
  -- Who ordered it.
  ordered_by text,
  UNIQUE (run, number)
);
CREATE INDEX happening_by_kind ON happening (kind, id);
CREATE INDEX happening_by_time ON happening (happened_at);
