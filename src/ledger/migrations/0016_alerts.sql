-- What people are told, and whether they were. Nothing of the books depends on it.

-- An alert from opened to resolved. What only happens (a block) is resolved as it is opened.
CREATE TABLE alert (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  condition text NOT NULL,
  -- What of the condition is meant: a node, a rig, a bridge.
  about text NOT NULL,
  severity text NOT NULL,
  -- Whose rigs it is about; NULL for what is no matter of a miner.
  account text,
  says text NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(),
  -- When a bridge last found that it is so.
  reported_at timestamptz NOT NULL DEFAULT now(),
  -- When it was last told.
  told_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  resolved_says text NOT NULL DEFAULT ''
);
-- However many bridges find it, it is open once.
CREATE UNIQUE INDEX alert_open ON alert (condition, about) WHERE resolved_at IS NULL;
CREATE INDEX alert_by_condition ON alert (condition, id);
CREATE INDEX alert_by_end ON alert (resolved_at);

-- Which bridges find that it is so: what one finds well another may not.
CREATE TABLE alert_report (
  alert_id bigint NOT NULL REFERENCES alert ON DELETE CASCADE,
  bridge uuid NOT NULL,
  reported_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (alert_id, bridge)
);

-- A webhook that a miner has asked for. It holds no key: that is made anew from a setting.
CREATE TABLE alert_subscription (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account text NOT NULL,
  url text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account, url)
);

-- A notice on its way to a target of the settings, or to a miner's webhook.
CREATE TABLE alert_delivery (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- Notices of an alert reach a target in this order.
  number bigint GENERATED ALWAYS AS IDENTITY,
  alert_id bigint NOT NULL REFERENCES alert ON DELETE CASCADE,
  what text NOT NULL CHECK (what IN ('opened', 'repeated', 'resolved', 'happened')),
  target text,
  subscription_id bigint REFERENCES alert_subscription ON DELETE CASCADE,
  made_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  tries integer NOT NULL DEFAULT 0,
  -- A bridge sends it now; when it is over, another may.
  leased_until timestamptz,
  CHECK ((target IS NULL) <> (subscription_id IS NULL))
);
CREATE INDEX alert_delivery_due ON alert_delivery (due_at);
CREATE INDEX alert_delivery_of_alert ON alert_delivery (alert_id);

-- What became of notices to each target of the settings, by its name.
CREATE TABLE alert_target (
  name text PRIMARY KEY,
  delivered bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  delivered_at timestamptz,
  failed_at timestamptz,
  fault text
);

-- When each rig was last seen at any bridge, and how long its usual absences are.
CREATE TABLE alert_rig (
  account text NOT NULL,
  rig text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  usual_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account, rig)
) WITH (fillfactor = 70);
CREATE INDEX alert_rig_by_time ON alert_rig (seen_at);

-- How far the timeline was read, and since when a bridge has been looking without a break.
CREATE TABLE alert_watch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last_line bigint NOT NULL,
  watching_since timestamptz NOT NULL DEFAULT now(),
  watched_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO alert_watch (last_line) SELECT coalesce(max(id), 0) FROM happening;
