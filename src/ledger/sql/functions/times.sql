-- Times as programs tell them, and steps of time of a length that who asks chooses.

-- 2026-11-28T03:54:15.000Z; null for a time without end, such as of what holds since ever.
CREATE FUNCTION iso_of(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- In milliseconds.
CREATE FUNCTION ms_of(p_at timestamptz) RETURNS float8 LANGUAGE sql STABLE AS $$ SELECT (extract(epoch FROM p_at) * 1000)::float8 $$;

CREATE FUNCTION at_ms(p_ms float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$ SELECT to_timestamp(p_ms / 1000) $$;

CREATE FUNCTION lasting_ms(p_ms float8) RETURNS interval LANGUAGE sql IMMUTABLE AS $$ SELECT make_interval(secs => p_ms / 1000) $$;

-- When the step begins that a time is in.
CREATE FUNCTION step_begin(p_at timestamptz, p_first_ms float8, p_step_ms float8) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$ SELECT date_bin(make_interval(secs => p_step_ms / 1000), p_at, to_timestamp(p_first_ms / 1000)) $$;

-- The number of the step that begins then, from 0. Rows are put together by the beginning of their step, and only what comes of them is
-- numbered: to number every row of a year of blocks takes three times as long.
CREATE FUNCTION step_number(p_begin timestamptz, p_first_ms float8, p_step_ms float8) RETURNS integer
LANGUAGE sql STABLE AS $$ SELECT round((date_part('epoch', p_begin) * 1000 - p_first_ms) / p_step_ms)::integer $$;
