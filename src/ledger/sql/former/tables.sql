-- The tables of version 0.1 (its version 19), for dumps of it: columns, keys, and what stands for columns that a dump of before does not
-- have. They never change.
CREATE TABLE alert (
  id bigint NOT NULL,
  condition text NOT NULL,
  about text NOT NULL,
  severity text NOT NULL,
  account text,
  says text NOT NULL,
  opened_at timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  told_at timestamptz NOT NULL,
  resolved_at timestamptz,
  resolved_says text NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE alert_delivery (
  id uuid NOT NULL,
  number bigint NOT NULL,
  alert_id bigint NOT NULL,
  what text NOT NULL,
  target text,
  subscription_id bigint,
  made_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  tries integer NOT NULL,
  leased_until timestamptz,
  PRIMARY KEY (id)
);
CREATE TABLE alert_report (
  alert_id bigint NOT NULL,
  bridge uuid NOT NULL,
  reported_at timestamptz NOT NULL,
  PRIMARY KEY (alert_id, bridge)
);
CREATE TABLE alert_rig (
  account text NOT NULL,
  rig text NOT NULL,
  seen_at timestamptz NOT NULL,
  usual_ms bigint NOT NULL,
  PRIMARY KEY (account, rig)
);
CREATE TABLE alert_subscription (
  id bigint NOT NULL,
  account text NOT NULL,
  url text NOT NULL,
  made_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE alert_target (
  name text NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  delivered_at timestamptz,
  failed_at timestamptz,
  fault text,
  PRIMARY KEY (name)
);
CREATE TABLE alert_watch (
  only_row boolean NOT NULL,
  last_line bigint NOT NULL,
  watching_since timestamptz NOT NULL,
  watched_at timestamptz NOT NULL,
  PRIMARY KEY (only_row)
);
CREATE TABLE balance (
  owner text NOT NULL,
  book text NOT NULL,
  amount numeric(38,12) NOT NULL,
  PRIMARY KEY (owner, book)
);
CREATE TABLE batch (
  id bigint NOT NULL,
  state text NOT NULL,
  prepared_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  minimum numeric(38,12) NOT NULL,
  note text NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE batch_line (
  batch_id bigint NOT NULL,
  account text NOT NULL,
  amount numeric(38,12) NOT NULL,
  PRIMARY KEY (batch_id, account)
);
CREATE TABLE block (
  solution_id bigint NOT NULL,
  hash bytea NOT NULL,
  state text NOT NULL,
  depth integer NOT NULL,
  tip_height bigint NOT NULL,
  moves integer NOT NULL,
  reward numeric(38,12),
  reward_source text,
  scheme text,
  changed_at timestamptz NOT NULL,
  checked_at timestamptz,
  settled boolean NOT NULL,
  fees jsonb,
  splits integer NOT NULL,
  seen_at timestamptz,
  PRIMARY KEY (solution_id)
);
CREATE TABLE block_credit (
  solution_id bigint NOT NULL,
  account text NOT NULL,
  amount numeric(38,12) NOT NULL,
  PRIMARY KEY (solution_id, account)
);
CREATE TABLE block_weight (
  solution_id bigint NOT NULL,
  account text NOT NULL,
  work numeric NOT NULL,
  PRIMARY KEY (solution_id, account)
);
CREATE TABLE bridge_rules (
  bridge text NOT NULL,
  rules text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (bridge)
);
CREATE TABLE bucket (
  rig_id integer NOT NULL,
  starts_at timestamptz NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  seconds integer NOT NULL,
  PRIMARY KEY (rig_id, starts_at)
);
CREATE TABLE closed (
  only_row boolean NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (only_row)
);
CREATE TABLE credited (
  producer uuid NOT NULL,
  numbers int8multirange NOT NULL,
  PRIMARY KEY (producer)
);
CREATE TABLE entry (
  producer uuid NOT NULL,
  number bigint NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (producer, number)
);
CREATE TABLE freshness (
  step_seconds integer NOT NULL,
  starts_at timestamptz NOT NULL,
  counts bigint[] NOT NULL,
  PRIMARY KEY (step_seconds, starts_at)
);
CREATE TABLE happening (
  id bigint NOT NULL,
  run uuid NOT NULL,
  number bigint NOT NULL,
  happened_at timestamptz NOT NULL,
  kind text NOT NULL,
  says text NOT NULL,
  facts jsonb NOT NULL,
  instance integer,
  ordered_by text,
  PRIMARY KEY (id)
);
CREATE TABLE instance (
  number integer NOT NULL,
  owner uuid NOT NULL,
  place text NOT NULL,
  heard_at timestamptz NOT NULL,
  run uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (number)
);
CREATE TABLE owed (
  starts_at timestamptz NOT NULL,
  balance numeric(38,12) NOT NULL,
  held numeric(38,12) NOT NULL,
  paying numeric(38,12) NOT NULL,
  PRIMARY KEY (starts_at)
);
CREATE TABLE posting (
  id bigint NOT NULL,
  key text NOT NULL,
  kind text NOT NULL,
  solution_id bigint,
  batch_id bigint,
  posted_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE posting_line (
  posting_id bigint NOT NULL,
  owner text NOT NULL,
  book text NOT NULL,
  amount numeric(38,12) NOT NULL,
  PRIMARY KEY (posting_id, owner, book)
);
CREATE TABLE producer (
  id uuid NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE recent_entry (
  recorded_at timestamptz NOT NULL,
  producer uuid NOT NULL,
  number bigint NOT NULL,
  shares jsonb NOT NULL
);
CREATE TABLE rejection (
  rig_id integer NOT NULL,
  starts_at timestamptz NOT NULL,
  seconds integer NOT NULL,
  reason text NOT NULL,
  submits bigint NOT NULL,
  work numeric NOT NULL,
  PRIMARY KEY (rig_id, starts_at, reason)
);
CREATE TABLE rig (
  id integer NOT NULL,
  account text NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE rolled (
  only_row boolean NOT NULL,
  until timestamptz NOT NULL,
  seen timestamptz NOT NULL,
  rolled_at timestamptz NOT NULL,
  PRIMARY KEY (only_row)
);
CREATE TABLE rolled_account (
  id integer NOT NULL,
  account text NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE rolled_sum (
  account_id integer NOT NULL,
  kind text NOT NULL,
  starts_at timestamptz NOT NULL,
  seconds integer NOT NULL,
  amount bigint NOT NULL,
  work numeric NOT NULL,
  squares double precision NOT NULL,
  PRIMARY KEY (account_id, kind, starts_at)
);
CREATE TABLE round (
  id bigint NOT NULL,
  opened_at timestamptz NOT NULL,
  solution_id bigint,
  PRIMARY KEY (id)
);
CREATE TABLE round_sum (
  round_id bigint NOT NULL,
  solution_id bigint NOT NULL,
  found_at timestamptz NOT NULL,
  work numeric NOT NULL,
  effort double precision NOT NULL,
  PRIMARY KEY (round_id)
);
CREATE TABLE round_work (
  round_id bigint NOT NULL,
  account text NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  expected numeric NOT NULL,
  PRIMARY KEY (round_id, account)
);
CREATE TABLE scheme_in_use (
  only_row boolean NOT NULL,
  scheme text NOT NULL,
  PRIMARY KEY (only_row)
);
CREATE TABLE set_aside (
  id bigint NOT NULL,
  producer uuid NOT NULL,
  number bigint NOT NULL,
  set_aside_at timestamptz NOT NULL,
  part text NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE solution (
  id bigint NOT NULL,
  pow_hash bytea NOT NULL,
  header bytea NOT NULL,
  chain_id integer NOT NULL,
  height bigint NOT NULL,
  parent bytea NOT NULL,
  nonce numeric(20,0) NOT NULL,
  creation_time bigint NOT NULL,
  block_difficulty numeric NOT NULL,
  node text NOT NULL,
  account text NOT NULL,
  rig text NOT NULL,
  found_at timestamptz NOT NULL,
  state text NOT NULL,
  detail text NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE split_doubt (
  solution_id bigint NOT NULL,
  kind text NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  detail text NOT NULL,
  noted_at timestamptz NOT NULL,
  PRIMARY KEY (solution_id, kind)
);
