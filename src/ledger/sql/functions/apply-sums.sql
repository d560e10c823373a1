-- Makes the rows that are missing, in one order for every caller.
CREATE FUNCTION know_rigs(p_accounts text[], p_names text[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_accounts text[];
  v_names text[];
BEGIN
  SELECT array_agg(account), array_agg(name) INTO v_accounts, v_names
    FROM (SELECT DISTINCT * FROM unnest(p_accounts, p_names) AS u (account, name)) AS u
    WHERE NOT EXISTS (SELECT FROM rig r WHERE r.key = rig_key(u.account, u.name));
  IF v_accounts IS NULL THEN
    RETURN;
  END IF;
  PERFORM know_accounts(v_accounts);
  INSERT INTO rig (account_id, name, key)
    SELECT a.id, u.name, rig_key(u.account, u.name)
    FROM unnest(v_accounts, v_names) AS u (account, name) JOIN account a ON a.key = account_key(u.account)
    ORDER BY 3
  ON CONFLICT (key) DO NOTHING;
END
$$;

-- Adds sums of rigs in slots (seconds since the epoch, divided by ten) to the books. The caller holds the lock of the books, shared.
-- Every caller takes rows in one order, so that two never wait for one another. Slots of the future are of now, and those that are
-- closed count in the first open one. A rig is known from its first share on; what is refused before that counts for nobody.
CREATE FUNCTION apply_sums(
  p_accounts text[], p_rigs text[], p_slots bigint[], p_kinds smallint[], p_submits bigint[], p_work numeric[], p_expected numeric[],
  p_best float8[]
) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_closed timestamptz;
  v_now timestamptz := date_bin('10 seconds', now(), 'epoch');
  v_sums rig_sum[];
  v_online account_minute[];
BEGIN
  SELECT until INTO STRICT v_closed FROM closed;
  PERFORM know_rigs(array_agg(account), array_agg(rig))
    FROM unnest(p_accounts, p_rigs, p_kinds) AS s (account, rig, kind) WHERE kind = 0;

  SELECT array_agg((s.at, s.rig_id, s.account_id, s.kind, s.submits, s.work, s.squares, s.expected, s.best)::rig_sum) INTO v_sums FROM (
    SELECT greatest(least(to_timestamp(10 * slot), v_now), v_closed) AS at, coalesce(r.id, 0) AS rig_id,
           coalesce(r.account_id, 0) AS account_id, s.kind, sum(submits)::bigint AS submits, sum(work) AS work,
           coalesce(sum(work::float8 ^ 2 / nullif(submits, 0)), 0) AS squares, sum(expected) AS expected, coalesce(max(s.best), 0) AS best
    FROM unnest(p_accounts, p_rigs, p_slots, p_kinds, p_submits, p_work, p_expected, p_best)
      AS s (account, rig, slot, kind, submits, work, expected, best)
    LEFT JOIN rig r ON r.key = rig_key(s.account, s.rig)
    GROUP BY 1, 2, 3, 4) AS s;
  IF v_sums IS NULL THEN
    RETURN;
  END IF;
  PERFORM need_partition('rig_work', at), need_partition('account_minute', at)
    FROM (SELECT DISTINCT date_bin('1 hour', at, 'epoch') AS at FROM unnest(v_sums)) AS hours;
  v_online := newly_online(v_sums);

  INSERT INTO rig_work (starts_at, rig_id, kind, submits, work, best)
    SELECT at, rig_id, kind, submits, work, best FROM unnest(v_sums) ORDER BY 1, 2, 3
  ON CONFLICT (starts_at, rig_id, kind) DO UPDATE
    SET submits = rig_work.submits + excluded.submits, work = rig_work.work + excluded.work, best = greatest(rig_work.best, excluded.best);

  -- Those of everybody last: every recorder waits for them.
  INSERT INTO account_minute (starts_at, account_id, kind, seconds, submits, work, squares, expected)
    SELECT * FROM (
      SELECT date_bin('1 minute', at, 'epoch') AS minute, account_id, kind, 60, sum(submits), sum(work), sum(squares), sum(expected)
      FROM unnest(v_sums) WHERE account_id <> 0 GROUP BY 1, 2, 3
      UNION ALL
      SELECT date_bin('1 minute', at, 'epoch'), 0, kind, 60, sum(submits), sum(work), sum(squares), sum(expected)
      FROM unnest(v_sums) GROUP BY 1, 3
      UNION ALL
      SELECT starts_at, account_id, kind, seconds, submits, work, squares, expected FROM unnest(v_online)) AS s
    ORDER BY account_id = 0, account_id, minute, kind
  ON CONFLICT (starts_at, account_id, kind) DO UPDATE
    SET submits = account_minute.submits + excluded.submits, work = account_minute.work + excluded.work,
        squares = account_minute.squares + excluded.squares, expected = account_minute.expected + excluded.expected;

  UPDATE rig SET best = greatest(rig.best, come.best), last_at = greatest(rig.last_at, come.minute),
      best_at = CASE WHEN come.best > rig.best THEN come.minute ELSE rig.best_at END
    FROM (SELECT rig_id, max(best) AS best, max(date_bin('1 minute', at, 'epoch')) AS minute FROM unnest(v_sums)
          WHERE kind = 0 AND rig_id <> 0 GROUP BY 1) AS come
    WHERE rig.id = come.rig_id AND (come.best > rig.best OR rig.last_at IS NULL OR come.minute > rig.last_at);
END
$$;

-- Of sums that are about to be added: ten minutes in which a rig had no share until now, by account and of everybody. Rigs whose row may
-- change are locked, in one order for every caller, so that no two count one of them at once.
CREATE FUNCTION newly_online(p_sums rig_sum[]) RETURNS account_minute[]
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  v_online account_minute[];
BEGIN
  PERFORM FROM rig WHERE id IN (
      SELECT s.rig_id FROM unnest(p_sums) s JOIN rig r ON r.id = s.rig_id
      WHERE s.kind = 0 AND (r.last_at IS NULL OR date_bin('1 minute', s.at, 'epoch') > r.last_at OR s.best > r.best
        OR date_bin('10 minutes', s.at, 'epoch') <> date_bin('10 minutes', r.last_at, 'epoch')))
    ORDER BY id FOR NO KEY UPDATE;
  WITH come AS (
    SELECT DISTINCT rig_id, account_id, date_bin('10 minutes', at, 'epoch') AS at FROM unnest(p_sums) WHERE kind = 0 AND rig_id <> 0
  ), new AS (
    SELECT come.account_id, come.at, count(*) AS rigs FROM come JOIN rig r ON r.id = come.rig_id
    WHERE come.at IS DISTINCT FROM date_bin('10 minutes', r.last_at, 'epoch')
      AND NOT EXISTS (SELECT FROM rig_work w WHERE w.rig_id = come.rig_id AND w.kind = 0
                      AND w.starts_at >= come.at AND w.starts_at < come.at + interval '10 minutes')
    GROUP BY 1, 2
  ), counted AS (
    SELECT at, account_id, rigs FROM new WHERE account_id <> 0 UNION ALL SELECT at, 0, sum(rigs) FROM new GROUP BY at
  )
  SELECT array_agg((at, account_id, 100, 600, 600 * rigs, 0, 0, 0)::account_minute) INTO v_online FROM counted;
  RETURN v_online;
END
$$;
