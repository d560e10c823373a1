-- Makes the rows that are missing, in one order for every caller.
CREATE FUNCTION know_accounts(p_names text[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO account (name, key)
    SELECT n.name, n.key FROM (SELECT DISTINCT u AS name, sha256(convert_to(u, 'UTF8')) AS key FROM unnest(p_names) AS u) AS n
    WHERE NOT EXISTS (SELECT FROM account a WHERE a.key = n.key) ORDER BY n.key
  ON CONFLICT (key) DO NOTHING
$$;
