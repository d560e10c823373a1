-- Accounts by number, and what is agreed with single ones.

-- name: know ($1: names). Those that are missing are made.
SELECT know_accounts($1);

-- name: idsOf ($1: names)
SELECT name, id FROM account WHERE key = ANY (ARRAY (SELECT account_key(u) FROM unnest($1::text[]) AS u));

-- name: terms ($1: name, or null for all that have any of their own, $2: how many, $3: offset). What holds now.
SELECT a.name AS account, f.basis_points AS "feeBasisPoints", iso_of(f.valid_from) AS "feeSince", a.minimum_payout AS "minimumPayout",
       a.wished_chain AS "wishedChain", divides.text AS beneficiaries, a.note, count(*) OVER ()::int AS total
FROM account a LEFT JOIN LATERAL (
  SELECT * FROM account_fee WHERE account_id = a.id AND valid_from <= now() ORDER BY valid_from DESC LIMIT 1) f ON true
CROSS JOIN LATERAL (
  SELECT coalesce(string_agg(o.name || '=' || trim_scale(b.basis_points / 100.0) || '%', ','), '') AS text
  FROM beneficiaries_at(a.id, now()) AS b JOIN account o ON o.id = b.account_id) AS divides
WHERE a.id > 0 AND CASE WHEN $1::text IS NULL
  THEN num_nonnulls(f.basis_points, a.minimum_payout, a.wished_chain, nullif(a.note, ''), nullif(divides.text, '')) > 0
  ELSE a.id = account_of($1) END
ORDER BY a.name LIMIT $2 OFFSET $3;

-- name: agreeFee ($1: account, $2: hundredths of a percent, null for that of everybody)
INSERT INTO account_fee (account_id, valid_from, basis_points) VALUES ($1, now(), $2);

-- name: agreeMinimum ($1: account, $2: amount, null for that of everybody)
UPDATE account SET minimum_payout = $2 WHERE id = $1;

-- name: agreeChain ($1: account, $2: chain, null for any)
UPDATE account SET wished_chain = $2 WHERE id = $1;

-- name: wish ($1: account, $2: minimum, null: as for everybody, $3: chain, or null, $4: time in the wish, ms). No row for one that is not newer by a minute.
UPDATE account SET minimum_payout = $2, wished_chain = $3, wished_at = at_ms($4::float8)
WHERE id = $1 AND (wished_at IS NULL OR wished_at <= at_ms($4::float8) - interval '1 minute') RETURNING id;

-- name: divide ($1: account, $2: beneficiaries, $3: their parts in 1/10,000)
INSERT INTO beneficiary (account_id, valid_from, accounts, basis_points) VALUES ($1, now(), $2, $3);

-- name: dividesNow ($1: account)
SELECT a.name AS account, b.basis_points AS "basisPoints!" FROM beneficiaries_at($1, now()) AS b JOIN account a ON a.id = b.account_id;

-- name: writeNote ($1: account, $2: note)
UPDATE account SET note = $2 WHERE id = $1;
