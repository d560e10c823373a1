-- The timeline that all bridges on these books share.

-- name: lock. Who tells waits for who tells, so that lines become visible in the order of their numbers; who listens hears that there are some.
SELECT pg_advisory_xact_lock(timeline_lock()), pg_notify('stratum_bridge_event', '');

-- name: insert ($1: lines). What a line does not say is of now, and of the books.
INSERT INTO event (run, number, happened_at, kind, says, facts, instance, ordered_by)
  SELECT coalesce((line ->> 'run')::uuid, gen_random_uuid()), coalesce((line ->> 'number')::bigint, 1),
         coalesce((line ->> 'at')::timestamptz, now()), line ->> 'kind', line ->> 'says', line -> 'facts',
         (line ->> 'instance')::integer, line ->> 'by'
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS u (line, place) ORDER BY place
ON CONFLICT (run, number) DO NOTHING;

-- name: lines ($1: how many, $2: before which id, $3: since when, $4: of which kinds; null for all)
SELECT id::float8 AS id, run, number::float8 AS number, round(ms_of(happened_at)) AS "atMs", kind, says, facts, instance, ordered_by AS by
FROM event AS lines
WHERE ($2::bigint IS NULL OR lines.id < $2) AND ($3::float8 IS NULL OR happened_at >= at_ms($3)) AND ($4::text[] IS NULL OR kind = ANY ($4))
ORDER BY lines.id DESC LIMIT $1;

-- name: linesOfRig (the same, and $5: a login, $6: its account)
-- What is told of either is read from its newest line on, as an index has it.
SELECT id::float8 AS id, run, number::float8 AS number, round(ms_of(happened_at)) AS "atMs", kind, says, facts, instance, ordered_by AS by
FROM (
  (SELECT * FROM event
   WHERE ($2::bigint IS NULL OR id < $2) AND ($3::float8 IS NULL OR happened_at >= at_ms($3)) AND ($4::text[] IS NULL OR kind = ANY ($4))
     AND login_of(facts) = $5 ORDER BY id DESC LIMIT $1)
  UNION ALL
  (SELECT * FROM event
   WHERE ($2::bigint IS NULL OR id < $2) AND ($3::float8 IS NULL OR happened_at >= at_ms($3)) AND ($4::text[] IS NULL OR kind = ANY ($4))
     AND login_of(facts) = $6 AND $5 <> $6 AND 'account' IN (facts ->> 'of', facts ->> 'to') ORDER BY id DESC LIMIT $1)) AS lines
ORDER BY lines.id DESC LIMIT $1;

-- name: linesAfter ($1: which id, $2: how many)
SELECT id::float8 AS id, run, number::float8 AS number, round(ms_of(happened_at)) AS "atMs", kind, says, facts, instance, ordered_by AS by
FROM event h
WHERE h.id > $1 ORDER BY h.id LIMIT $2;

-- name: newest
SELECT coalesce(max(id), 0)::float8 AS id FROM event;

-- name: hasBlock ($1: kinds, $2: hash). Of a kind there are no more lines than can be looked through.
SELECT EXISTS (SELECT FROM event WHERE kind = ANY ($1) AND facts ->> 'hash' = $2) AS has;

-- name: prune ($1: kinds, $2: how many of each are kept, $3: how many of each go at once, $4: those that somebody ordered, or all others)
-- Kind and id are compared as pairs, so that an index by kind is read and nothing else: by id alone the way to the lines of one kind
-- leads through those of all others. What another bridge takes away now is passed over.
DELETE FROM event WHERE id = ANY (ARRAY (
  SELECT old.id FROM unnest($1::text[]) AS k (kind)
  CROSS JOIN LATERAL (
    SELECT id FROM event
    WHERE (kind, id) > (k.kind, 0) AND (kind, id) <= (k.kind, 9223372036854775807) AND (ordered_by IS NOT NULL) = $4
    ORDER BY kind DESC, id DESC OFFSET $2 LIMIT 1) last
  CROSS JOIN LATERAL (
    SELECT h.id FROM event h
    WHERE (h.kind, h.id) > (k.kind, 0) AND (h.kind, h.id) <= (k.kind, last.id) AND (ordered_by IS NOT NULL) = $4
    ORDER BY h.kind, h.id LIMIT $3 FOR UPDATE SKIP LOCKED) old));
