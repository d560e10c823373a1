-- Lines of the timeline are found by the rig that they tell of, what somebody ordered outlasts floods in it, buckets are merged in
-- steps of so many rows, and what accounts are owed is seen over time.

-- The login that a line tells of, or the account alone: bans and messages name it, blocks and difficulties its parts, alerts what they
-- are about. Cut to what an index takes, which is longer than any login.
CREATE FUNCTION login_of(p_facts jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(
    nullif(p_facts ->> 'login', ''),
    (p_facts ->> 'account') || coalesce('.' || nullif(p_facts ->> 'rig', ''), ''),
    p_facts ->> 'about'), 200)
$$;
CREATE INDEX happening_by_login ON happening (login_of(facts), id) WHERE login_of(facts) IS NOT NULL;

-- Of each kind so many lines are kept, and as many that somebody ordered, which are few: which is which is read from the indexes.
DROP INDEX happening_by_kind;
CREATE INDEX happening_by_kind ON happening (kind, id) INCLUDE (ordered_by);
CREATE INDEX happening_ordered ON happening (kind, id) WHERE ordered_by IS NOT NULL;

-- One step of merging: the oldest buckets of p_from seconds, which are the next narrower ones, about p_rows rows or one bucket of the
-- new width. True when more is left.
CREATE FUNCTION merge_some_buckets(p_from integer, p_to integer, p_before timestamptz, p_rows integer) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_width interval := make_interval(secs => p_to);
  v_before timestamptz;
  v_first timestamptz;
  v_past timestamptz;
  v_end timestamptz;
BEGIN
  SELECT date_bin(v_width, least(p_before, closed.until, rolled.until, now()), 'epoch') INTO STRICT v_before FROM closed, rolled;
  v_first := least(
    (SELECT starts_at FROM bucket WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at LIMIT 1),
    (SELECT starts_at FROM rejection WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at LIMIT 1));
  IF v_first IS NULL THEN
    RETURN false;
  END IF;
  v_past := least(
    (SELECT starts_at FROM bucket WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at OFFSET p_rows LIMIT 1),
    (SELECT starts_at FROM rejection WHERE seconds = p_from AND starts_at < v_before ORDER BY starts_at OFFSET p_rows LIMIT 1),
    v_before);
  v_end := least(v_before, greatest(date_bin(v_width, v_first, 'epoch') + v_width, date_bin(v_width, v_past, 'epoch')));
  PERFORM merge_buckets(p_to, v_end);
  RETURN v_end < v_before;
END
$$;

-- What all accounts together are owed, for who looks: of each ten minutes as it was when upkeep came to them.
CREATE TABLE owed (
  starts_at timestamptz PRIMARY KEY,
  balance numeric(38, 12) NOT NULL,
  held numeric(38, 12) NOT NULL,
  paying numeric(38, 12) NOT NULL
);

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
    FROM balance WHERE owner <> ''
  ON CONFLICT DO NOTHING;
  -- No chart shows more than a year.
  DELETE FROM owed WHERE starts_at < now() - interval '366 days';
END
$$;
