-- What the payments of a payout come to. Its state: prepared while one of them is, else unknown while one is, failed where all are.
CREATE FUNCTION payments_of(p_payout bigint)
RETURNS TABLE (state text, total text, accounts integer, changed_at timestamptz, payments json)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT CASE WHEN bool_or(l.state = 'prepared') THEN 'prepared' WHEN bool_or(l.state = 'unknown') THEN 'unknown'
              WHEN bool_and(l.state = 'failed') THEN 'failed' ELSE 'sent' END,
         coalesce(sum(l.amount), 0)::numeric(38, 12)::text, count(DISTINCT l.account_id)::integer, max(l.changed_at),
         json_build_object(
           'prepared', count(*) FILTER (WHERE l.state = 'prepared'), 'sent', count(*) FILTER (WHERE l.state = 'sent'),
           'confirmed', count(*) FILTER (WHERE l.state = 'confirmed'), 'failed', count(*) FILTER (WHERE l.state = 'failed'),
           'unknown', count(*) FILTER (WHERE l.state = 'unknown'))
  FROM payment l WHERE l.payout_id = p_payout
$$;
