-- Shares as credited: sums per rig and time bucket, and the ids of the entries that brought them.
-- All names live in the schema that the migration runner has set as the search path.

-- Who is credited. Buckets refer to the number, because they are many and names are long.
CREATE TABLE rig (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text NOT NULL,
  name text NOT NULL,
  UNIQUE (account, name)
);

-- Credited shares: how many, and their work in expected hashes.
CREATE TABLE bucket (
  rig_id integer NOT NULL REFERENCES rig,
  starts_at timestamptz NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  PRIMARY KEY (rig_id, starts_at)
);
CREATE INDEX bucket_by_time ON bucket (starts_at);

-- One row for each start of a producer of entries: what it brought in all.
CREATE TABLE producer (
  id uuid PRIMARY KEY,
  shares bigint NOT NULL,
  work numeric NOT NULL
);

-- Entries that were credited. Its key is why none is credited twice.
CREATE TABLE entry (
  producer uuid NOT NULL,
  number bigint NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (producer, number)
);

-- Credits one entry, already summed by (account, rig, bucket), each sum once and in one order for every caller.
-- False when it was credited before. One call is one transaction.
CREATE FUNCTION record_entry(
  p_producer uuid, p_number bigint,
  p_accounts text[], p_rigs text[], p_starts bigint[], p_shares bigint[], p_work numeric[]
) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO entry (producer, number) VALUES (p_producer, p_number) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;

  INSERT INTO rig (account, name)
    SELECT DISTINCT s.account, s.name FROM unnest(p_accounts, p_rigs) AS s (account, name)
    WHERE NOT EXISTS (SELECT FROM rig r WHERE r.account = s.account AND r.name = s.name)
    ORDER BY 1, 2
  ON CONFLICT DO NOTHING;

  INSERT INTO bucket (rig_id, starts_at, shares, work)
    SELECT r.id, to_timestamp(s.starts), s.shares, s.work
    FROM unnest(p_accounts, p_rigs, p_starts, p_shares, p_work) AS s (account, name, starts, shares, work)
    JOIN rig r ON r.account = s.account AND r.name = s.name
    ORDER BY r.id, s.starts
  ON CONFLICT (rig_id, starts_at) DO UPDATE
    SET shares = bucket.shares + excluded.shares, work = bucket.work + excluded.work;

  INSERT INTO producer (id, shares, work)
    SELECT p_producer, coalesce(sum(s.shares), 0), coalesce(sum(s.work), 0)
    FROM unnest(p_shares, p_work) AS s (shares, work)
  ON CONFLICT (id) DO UPDATE
    SET shares = producer.shares + excluded.shares, work = producer.work + excluded.work;
  RETURN true;
END
$$;
