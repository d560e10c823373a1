-- The rules of the bridges that were heard of lately, if they are not all the same: which bridge has which.
CREATE FUNCTION differing_rules() RETURNS text
LANGUAGE sql STABLE SET search_path FROM CURRENT
AS $$
  SELECT string_agg(format('%s: %s', bridge, rules), '; ' ORDER BY bridge)
  FROM bridge_rules WHERE seen_at > now() - interval '5 minutes' HAVING count(DISTINCT rules) > 1
$$;
