-- Since when somebody looks without a break of two minutes: also while nobody has looked yet after one, and where the clock was set back.
CREATE FUNCTION looked_since() RETURNS timestamptz LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT least(now(), CASE WHEN watched_at < now() - interval '2 minutes' THEN now() ELSE watching_since END) FROM alert_watch
$$;

-- Another bridge than this one has found an alert, so long ago at the most.
CREATE FUNCTION seen_by_others(p_alert bigint, p_bridge uuid, p_holds interval) RETURNS boolean
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT EXISTS (SELECT FROM alert_report WHERE alert_id = p_alert AND bridge <> p_bridge AND reported_at > now() - p_holds)
$$;

-- Rigs with how long they are away, and whether that is longer than is usual for them, and than p_floor (ms). One that is away for longer
-- than a week has left, and is no news.
CREATE FUNCTION watched_rigs(p_floor float8)
RETURNS TABLE (login text, seen_at timestamptz, overdue boolean)
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN r.rig = '' THEN r.account ELSE r.account || '.' || r.rig END, r.seen_at,
         r.seen_at > now() - interval '7 days'
           AND now() - greatest(r.seen_at, (SELECT looked_since())) > make_interval(secs => greatest(p_floor, 3 * r.usual_ms) / 1000)
  FROM alert_rig r
$$;
