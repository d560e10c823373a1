CREATE FUNCTION bridge_in_words(p_place text, p_log uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('the bridge at %s (log %s)', coalesce(nullif(p_place, ''), 'a place that is not known'), p_log)
$$;

-- Numbers of entries, such as: entries 5 to 7, 9; at most ten ranges.
CREATE FUNCTION numbers_in_words(p_numbers int8multirange) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'entries ' || string_agg(CASE WHEN upper(r) = lower(r) + 1 THEN lower(r)::text ELSE format('%s to %s', lower(r), upper(r) - 1) END, ', ' ORDER BY r)
  FROM (SELECT r FROM unnest(p_numbers) AS r ORDER BY r LIMIT 10) AS first
$$;

-- Of each log, what it has acknowledged and is not booked, beside what is set aside or was given up. gaps: numbers of entries that did not
-- come, although later ones did. is_late: for longer than entries are on their way. is_guess: what was given up could not be read, so
-- its shares are as many as could be counted.
CREATE FUNCTION unaccounted() RETURNS TABLE (
  log uuid, bridge text, shares numeric, work numeric, gaps int8multirange, is_late boolean, is_guess boolean,
  watermark timestamptz, ended_by text, ended_at timestamptz, ended_note text)
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT p.id, bridge_in_words(p.place, p.id), p.declared_shares - p.shares - coalesce(told.shares, 0),
    p.declared_work - p.work - coalesce(told.work, 0), int8multirange(int8range(1, p.declared_number + 1)) - p.numbers,
    p.declared_watermark > p.watermark + interval '1 minute' OR p.heard_at < now() - interval '1 minute', coalesce(told.is_guess, false),
    p.watermark, p.ended_by, p.ended_at, p.ended_note
  FROM log p LEFT JOIN (
    SELECT log, sum(shares) AS shares, sum(work) AS work, bool_or(is_whole) AS is_guess FROM (
      SELECT log, shares, work, false AS is_whole FROM set_aside
      UNION ALL
      SELECT g.log, g.shares, g.work, g.is_whole FROM given_up g JOIN log o ON o.id = g.log AND g.number <= o.declared_number) AS parts
    GROUP BY 1) AS told ON told.log = p.id
$$;
