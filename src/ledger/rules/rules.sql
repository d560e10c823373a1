-- Versions of the rules. Of the first one `validFrom` is null: it is of ever.

-- name: at ($1: a time, null for now). The version that is in force then, and own fees of single accounts by name.
SELECT version, rules, (
  SELECT coalesce(jsonb_object_agg(name, points) FILTER (WHERE points IS NOT NULL), '{}') FROM (
    SELECT DISTINCT ON (account_id) account_id, basis_points AS points FROM account_fee
    WHERE valid_from <= coalesce($1, now()) ORDER BY account_id, valid_from DESC) f JOIN account ON id = account_id) AS fees
FROM rules WHERE valid_from <= coalesce($1, now()) ORDER BY version DESC LIMIT 1;

-- name: all. The last made first.
SELECT version, iso_of(valid_from) AS "validFrom", iso_of(made_at) AS "madeAt!", made_by AS "madeBy", rules,
       version IS NOT DISTINCT FROM (SELECT max(version) FROM rules WHERE valid_from <= now()) AS holds
FROM rules ORDER BY version DESC;

-- name: newest
SELECT clock_timestamp() AS now, (SELECT max(version) FROM rules) AS version;

-- name: insert ($1: version, $2: since when, $3: by whom, $4: rules)
INSERT INTO rules (version, valid_from, made_by, rules) VALUES ($1, $2, $3, $4);

-- name: firstFees ($1: accounts, $2: their fees). Fees that were agreed with `ledger account set` before any bridge started stay.
INSERT INTO account_fee (account_id, valid_from, basis_points)
  SELECT id, '-infinity', f.points FROM unnest($1::text[], $2::int[]) AS f (name, points) JOIN account ON key = account_key(f.name)
ON CONFLICT DO NOTHING;
