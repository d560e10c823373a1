-- Rigs over all bridges.

-- name: saw ($1: accounts, $2: rigs). These are heard now.
-- An absence is longer than a minute, as far as somebody looked. Longest absences are usual, and fade; one that is longer than a day says
-- nothing of the next one.
INSERT INTO alert_rig (account, rig) SELECT u.account, u.rig FROM unnest($1::text[], $2::text[]) AS u (account, rig)
  WHERE EXISTS (SELECT FROM rig b WHERE b.key = rig_key(u.account, u.rig))
ON CONFLICT (account, rig) DO UPDATE SET seen_at = now(), usual_ms = (
  SELECT CASE WHEN away > 60000 THEN least(86400000, greatest(away, alert_rig.usual_ms * 0.9)) ELSE alert_rig.usual_ms END
  FROM (SELECT ms_of(now()) - ms_of(greatest(alert_rig.seen_at, (SELECT looked_since()))) AS away) AS absence);

-- name: fresh ($1: milliseconds that nobody minds, $2: logins that are left out, $3: how many). The newest that are overdue.
SELECT login AS "login!", ms_of(now()) - ms_of(seen_at) AS "awayMs!", ms_of(seen_at) AS "seenMs!", overdue AS "isOverdue!", count(*) OVER ()::int AS total FROM watched_rigs($1)
WHERE overdue AND NOT login = ANY ($2) ORDER BY seen_at DESC LIMIT $3;

-- name: those ($1: milliseconds that nobody minds, $2: logins)
SELECT login AS "login!", ms_of(now()) - ms_of(seen_at) AS "awayMs!", ms_of(seen_at) AS "seenMs!", overdue AS "isOverdue!" FROM watched_rigs($1) WHERE login = ANY ($2);
