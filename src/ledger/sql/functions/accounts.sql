-- SHA-256 of a name. STABLE, as convert_to is: so that it becomes part of the statements that ask for it.
CREATE FUNCTION account_key(p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$ SELECT sha256(convert_to(p_name, 'UTF8')) $$;

-- SHA-256 of account, a zero byte and name.
CREATE FUNCTION rig_key(p_account text, p_name text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(p_account, 'UTF8') || '\x00'::bytea || convert_to(p_name, 'UTF8'))
$$;

-- The number of an account; null where there is none.
CREATE FUNCTION account_of(p_name text) RETURNS integer LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT id FROM account WHERE key = account_key(p_name)
$$;

-- Makes the rows that are missing, in one order for every caller.
CREATE FUNCTION know_accounts(p_names text[]) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT
AS $$
  INSERT INTO account (name, key)
    SELECT n.name, n.key FROM (SELECT DISTINCT u AS name, account_key(u) AS key FROM unnest(p_names) AS u) AS n
    WHERE NOT EXISTS (SELECT FROM account a WHERE a.key = n.key) ORDER BY n.key
  ON CONFLICT (key) DO NOTHING
$$;
