-- What the payments of a payout come to. Its state: prepared while one of them is, else unknown while one is, failed where all are, or are held.
CREATE FUNCTION payments_of(p_payout bigint)
RETURNS TABLE (state text, total text, accounts integer, changed_at timestamptz, payments json)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN bool_or(l.state = 'prepared') THEN 'prepared' WHEN bool_or(l.state = 'unknown') THEN 'unknown'
              WHEN bool_and(l.state IN ('failed', 'held')) THEN 'failed' ELSE 'sent' END,
         coalesce(sum(l.amount), 0)::numeric(38, 12)::text, count(DISTINCT l.account_id)::integer, max(l.changed_at),
         json_build_object(
           'prepared', count(*) FILTER (WHERE l.state = 'prepared'), 'sent', count(*) FILTER (WHERE l.state = 'sent'),
           'confirmed', count(*) FILTER (WHERE l.state = 'confirmed'), 'failed', count(*) FILTER (WHERE l.state = 'failed'),
           'unknown', count(*) FILTER (WHERE l.state = 'unknown'),
           'held', count(*) FILTER (WHERE l.state = 'held'))
  FROM payment l WHERE l.payout_id = p_payout
$$;

-- All reasons of a pause, the first one first.
CREATE FUNCTION pause_words(p_says text, p_evidence jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT p_says || coalesce(string_agg('; besides: ' || (m->>'says'), '' ORDER BY place), '')
  FROM jsonb_array_elements(p_evidence->'besides') WITH ORDINALITY AS more (m, place)
$$;

-- What an approval of a batch is of, made anew from its lines as they stand now: as src/payouts/plan/content-hash.ts makes it.
CREATE FUNCTION lines_hash(p_payout bigint) RETURNS text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT encode(sha256(convert_to(coalesce(string_agg(line, E'\n' ORDER BY line COLLATE "C"), ''), 'UTF8')), 'hex')
  FROM (SELECT format('["%s",%s,"%s"]', a.name, coalesce(l.chain_id::text, 'null'), l.amount) AS line
        FROM payment l JOIN account a ON a.id = l.account_id WHERE l.payout_id = p_payout) AS lines
$$;

-- Whether a batch on chain has other lines than it was prepared with. What was found on the chain has no hash.
CREATE FUNCTION has_other_lines(p_payout payout) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT coalesce(p_payout.content_hash ~ '^[0-9a-f]{64}$' AND p_payout.content_hash <> lines_hash(p_payout.id), false)
$$;
