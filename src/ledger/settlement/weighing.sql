-- Weighing of blocks, and periods of ten minutes.

-- name: turn. Whether there are blocks to be weighed or split.
SELECT take_turn(), EXISTS (SELECT FROM unweighed_block) OR EXISTS (SELECT FROM block WHERE due AND weighed_at IS NOT NULL) AS "areDue";

-- name: nextSlot
SELECT min(slot) AS slot FROM unweighed_block;

-- name: isKnown ($1: until when, $2: milliseconds of patience). All that was accepted until then is in the books.
SELECT coalesce(known_until(lasting_ms($2)) >= $1, false) AS yes;

-- name: close ($1: until when, $2: milliseconds of patience)
SELECT close_slots($1, lasting_ms($2)) >= $1 AS "yes!";

-- name: firstClosed
SELECT min(slot) AS slot FROM unweighed_block WHERE slot < (SELECT closed_until FROM settlement);

-- name: found ($1: slot)
SELECT id AS "id!", account AS "account!", found_at AS "foundAt!", block_difficulty AS "difficulty!" FROM unweighed_block WHERE slot = $1 ORDER BY id;

-- name: writeWeights ($1: block, $2: accounts, $3: their work)
INSERT INTO block_weight (block_id, accounts, work) VALUES ($1, $2, $3);

-- name: isWeighed ($1: block, $2: work of its round, $3: difficulty, $4: scheme, $5: fee, $6 to $8: its window)
UPDATE block SET weighed_at = now(), round_work = $2, effort = $2::numeric / $3::numeric, scheme = $4, fee_basis_points = $5, due = true,
  window_work = $6, window_whole = $7, window_edge = $8
WHERE id = $1;

-- name: noteAbsent ($1: slot, $2: how many blocks, $3: milliseconds of patience)
-- One that was started after the slot has nothing to do with it.
UPDATE log SET missed_blocks = missed_blocks + $2, missed_first = coalesce(missed_first, $1), missed_last = $1, missed_after = coalesce(missed_after, heard_at)
WHERE NOT ended AND watermark < $1::timestamptz + interval '10 seconds' AND NOT is_leased(heard_at) AND waited >= lasting_ms($3)
  AND started_at < $1::timestamptz + interval '10 seconds'
RETURNING id, place, heard_at AS "heardAt", missed_blocks = $2 AS "isFirst!";

-- name: settledUntil
SELECT periods_until AS until, now() AS now FROM settlement;

-- name: isSettled ($1: period, $2: its end). Nothing where it was settled before.
UPDATE settlement SET periods_until = $2 WHERE periods_until <= $1;

-- name: writePeriod ($1: period, $2: height, $3: reward, $4: total)
INSERT INTO pps_period (starts_at, height, reward, total) VALUES ($1, $2, $3, $4);

-- name: tip ($1: a time). The highest block of any chain that was taken over, or was found here, at that time; the first one known where none was.
SELECT coalesce(
  (SELECT greatest((SELECT max(height) FROM chain_block WHERE time_micros <= ms_of($1) * 1000), (SELECT max(height) FROM block WHERE found_at <= $1))),
  (SELECT least((SELECT min(height) FROM chain_block), (SELECT min(height) FROM block))))::float8 AS height;
