-- Logs: starts of bridges.

-- name: renew ($1: logs, $2: their place, for people). One that was ended by hand lives all the same.
INSERT INTO log (id, place) SELECT id, $2 FROM unnest($1::uuid[]) AS u (id) ORDER BY id
ON CONFLICT (id) DO UPDATE SET place = excluded.place, heard_at = now(), waited = '0', ended = log.ended AND log.ended_by IS NULL, ended_by = NULL
RETURNING EXISTS (SELECT FROM unweighed_block) AS "areWaitedFor";

-- name: ledger
SELECT id FROM ledger;

-- name: missing ($1: log, $2: the last number that is asked for, $3: how many gaps)
SELECT lower(gap)::float8 AS "first!", (upper(gap) - 1)::float8 AS "last!"
FROM unnest(int8multirange(int8range(1, $2, '[]')) - coalesce((SELECT numbers FROM log WHERE id = $1), '{}')) AS gap ORDER BY 1 LIMIT $3;

-- name: conflicting ($1: log, $2: numbers, $3: shares of the log up to and with each, $4: their work)
SELECT number AS "number!" FROM unnest($2::bigint[], $3::bigint[], $4::numeric[]) AS u (number, shares, work) WHERE is_conflict($1, number, shares, work);

-- name: giveUp ($1: log, $2: number, $3: who does, $4: shares, $5: work, $6: shares of the log up to it, $7: their work)
SELECT give_up_entry($1, $2, $3, $4, $5, $6, $7);

-- name: giveUpGone ($1: log, $2 and $3: the first and the last number, $4: who does). False when all of them are there.
SELECT give_up_gone($1, $2, $3, $4) AS "areGone!";

-- name: accounted ($1: logs). What was given up and could not be counted leaves nothing to compare.
SELECT p.id AS log, p.declared_number AS number, u.gaps = '{}' AND NOT u.is_guess AS "isWhole!",
       (p.declared_shares - u.shares)::float8 AS "shares!", p.declared_work - u.work AS "work!"
FROM unaccounted() u JOIN log p ON p.id = u.log WHERE u.log = ANY ($1::uuid[]);

-- name: waitedFor. Those whose shares may yet come, who is behind first.
SELECT p.id, p.place, iso_of(p.started_at) AS "startedAt!", iso_of(p.heard_at) AS "heardAt!", iso_of(p.watermark) AS "watermark!", p.shares::float8 AS shares,
       coalesce(numbers_in_words(u.gaps), '') AS missing,
       (SELECT count(*)::int FROM unweighed_block b
        WHERE b.slot + interval '10 seconds' > p.watermark OR b.slot IS NULL AND b.log = p.id) AS blocks
FROM log p JOIN unaccounted() u ON u.log = p.id WHERE NOT p.ended ORDER BY p.watermark, p.id;

-- name: heard ($1: id). How long ago, for one that is waited for.
SELECT p.place, extract(epoch FROM now() - p.heard_at)::float8 AS seconds FROM log p WHERE p.id::text = $1 AND NOT p.ended FOR UPDATE;

-- name: endByHand ($1: id, $2: who does, $3: why)
UPDATE log SET ended = true, ended_by = $2, ended_at = now(), ended_note = $3 WHERE id::text = $1;

-- name: place ($1: id). Blocks that were found in it wait no longer.
SELECT place_blocks($1);
