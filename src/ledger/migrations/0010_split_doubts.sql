-- Blocks that were split while something was amiss, for people to judge.
--   late   shares of before the block came into the books after its split: they waited in a spool or in the queue
--   rules  bridges on this ledger had different rules of reward when it was split
CREATE TABLE split_doubt (
  solution_id bigint NOT NULL REFERENCES block,
  kind text NOT NULL CHECK (kind IN ('late', 'rules')),
  shares bigint NOT NULL DEFAULT 0,
  work numeric NOT NULL DEFAULT 0,
  detail text NOT NULL DEFAULT '',
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (solution_id, kind)
);

-- The rules of reward that each bridge was started with, renewed while it runs.
CREATE TABLE bridge_rules (
  bridge text PRIMARY KEY,
  rules text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- The rules of the bridges that were heard of lately, if they are not all the same: which bridge has which.
CREATE FUNCTION differing_rules() RETURNS text
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT string_agg(format('%s: %s', bridge, rules), '; ' ORDER BY bridge)
  FROM bridge_rules WHERE seen_at > now() - interval '5 minutes' HAVING count(DISTINCT rules) > 1
$$;

-- Starts of buckets, none later than the one of now: shares of a bridge whose clock is ahead would lie in no block's window.
CREATE FUNCTION not_later(p_starts bigint[]) RETURNS bigint[]
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(array_agg(least(s, floor(extract(epoch FROM now()) / 10)::bigint * 10) ORDER BY i), '{}')
  FROM unnest(p_starts) WITH ORDINALITY AS u (s, i)
$$;

-- Of shares just recorded, notes those that count for a block that was split before, each for the first block after it. What
-- was on its way for less than ten seconds is no matter.
CREATE FUNCTION note_late(p_starts bigint[], p_shares bigint[], p_work numeric[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM unnest(p_starts) AS s, closed WHERE to_timestamp(s) < until - interval '20 seconds') THEN
    RETURN;
  END IF;
  INSERT INTO split_doubt (solution_id, kind, shares, work)
    SELECT block.solution_id, 'late', sum(late.shares), sum(late.work)
    FROM (SELECT s, sum(n) AS shares, sum(w) AS work FROM unnest(p_starts, p_shares, p_work) AS u (s, n, w) GROUP BY s) late
    CROSS JOIN LATERAL (
      SELECT b.solution_id FROM solution JOIN block b ON b.solution_id = solution.id
      WHERE solution.found_at >= to_timestamp(late.s + 20) AND b.scheme IN ('pplns', 'prop')
      ORDER BY solution.found_at, solution.id LIMIT 1) block
    GROUP BY block.solution_id ORDER BY block.solution_id
  ON CONFLICT (solution_id, kind) DO UPDATE
    SET shares = split_doubt.shares + excluded.shares, work = split_doubt.work + excluded.work, noted_at = now();
END
$$;

-- What is looked for each minute, without reading history.
CREATE INDEX solution_by_time ON solution (found_at);
CREATE INDEX solution_by_height ON solution (height);
CREATE INDEX round_work_expected ON round_work (round_id, account) WHERE expected > 0;
CREATE INDEX entry_by_time ON entry (recorded_at);
CREATE INDEX bucket_by_width ON bucket (seconds, starts_at);
CREATE INDEX rejection_by_width ON rejection (seconds, starts_at);
