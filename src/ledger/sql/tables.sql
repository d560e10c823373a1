-- The books, in one file: tables, what they must hold, and the indexes by which they are found. All names live in the schema that the
-- runner has set as the search path. Times are of the database's clock where nothing else is said. Functions are in functions.sql.

-- 1. Accounts, and what is agreed on.

-- Who is credited and paid, by number: names are long, and each is written once. Whoever first works or gets money has a row.
-- 0, without a name: the operator in money, everybody together in sums. Below 0: a chain (functions.sql, 11).
CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  -- SHA-256 of the name: an index takes no name of any length.
  key bytea NOT NULL UNIQUE,
  -- Balances below it wait; null: as for everybody.
  minimum_payout numeric(38, 12) CHECK (minimum_payout > 0),
  wished_chain integer CHECK (wished_chain >= 0),
  -- The time in the last wish that its own key signed: an older one is refused.
  wished_at timestamptz,
  note text NOT NULL DEFAULT '',
  -- Why it is not paid; null: it is. Said by people alone.
  held_why text
);
INSERT INTO account (id, name, key) OVERRIDING SYSTEM VALUE VALUES (0, '', sha256(''));

-- The fee of single accounts from a time on; null: as for everybody from then on.
CREATE TABLE account_fee (
  account_id integer NOT NULL REFERENCES account,
  valid_from timestamptz NOT NULL,
  basis_points integer CHECK (basis_points BETWEEN 0 AND 10000),
  PRIMARY KEY (account_id, valid_from)
);

-- Whom an account passes parts of what it earns of blocks on to, from a time on; nobody from then on where there are none.
CREATE TABLE beneficiary (
  account_id integer NOT NULL REFERENCES account,
  valid_from timestamptz NOT NULL,
  accounts integer[] NOT NULL,
  basis_points integer[] NOT NULL,
  PRIMARY KEY (account_id, valid_from)
);

-- The rules, for all bridges on these books. Those in force at a time: of the versions that are valid then, the last
-- made. The first one is of ever. What is in rules: src/ledger/rules/rule-table.ts.
CREATE TABLE rules (
  version integer PRIMARY KEY,
  valid_from timestamptz NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  made_by text NOT NULL,
  rules jsonb NOT NULL
);

-- 2. Shares.

-- Who works. Sums refer to the number, because they are many and names are long. 0, without a row: whoever is not known.
CREATE TABLE rig (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account,
  name text NOT NULL,
  -- SHA-256 of account, a zero byte and name: an index takes no names of any length.
  key bytea NOT NULL UNIQUE,
  -- The highest difficulty that a hash of its shares met, and the minute of it.
  best double precision NOT NULL DEFAULT 0,
  best_at timestamptz,
  -- The minute of its last share.
  last_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX rig_by_account ON rig (account_id);
CREATE INDEX rig_by_best ON rig (best);

-- What rigs did, summed: in slots of ten seconds at first, in longer times when it is older. kind: 0 shares, otherwise the reason of
-- a rejection (src/ledger/recording/kinds.ts). work: expected hashes, of rejections those that would have been credited. best: the highest
-- difficulty that a hash of these met. Partitions are made, rolled up and dropped by functions.sql (10), and no rows deleted.
CREATE TABLE rig_work (
  starts_at timestamptz NOT NULL,
  rig_id integer NOT NULL,
  kind smallint NOT NULL,
  seconds integer NOT NULL DEFAULT 10,
  submits bigint NOT NULL,
  work numeric NOT NULL,
  best double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (starts_at, rig_id, kind)
) PARTITION BY RANGE (starts_at);
CREATE INDEX rig_work_by_rig ON rig_work (rig_id, starts_at);

-- The same by account, in minutes at first; account 0: everybody together. kind 100: rigs that had a share in ten minutes, as seconds that
-- they were online (submits: 600 each). squares: of the difficulties of shares, each sum's taken as equal. expected: blocks that the work
-- was expected to find, in units of 10^-18.
CREATE TABLE account_work (
  starts_at timestamptz NOT NULL,
  account_id integer NOT NULL,
  kind smallint NOT NULL,
  seconds integer NOT NULL DEFAULT 60,
  submits bigint NOT NULL,
  work numeric NOT NULL DEFAULT 0,
  squares double precision NOT NULL DEFAULT 0,
  expected numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (starts_at, account_id, kind)
) PARTITION BY RANGE (starts_at);
CREATE INDEX account_work_by_account ON account_work (account_id, starts_at);

-- One sum on its way into these tables (functions.sql, 5).
CREATE TYPE rig_sum AS (
  at timestamptz, rig_id integer, account_id integer, kind smallint, submits bigint, work numeric, squares double precision,
  expected numeric, best double precision
);

-- A start of a bridge, which brings entries of its log, and what of that is booked.
CREATE TABLE log (
  id uuid PRIMARY KEY,
  -- For people: host and data directory.
  place text NOT NULL DEFAULT '',
  started_at timestamptz NOT NULL DEFAULT now(),
  -- When its lease was renewed or one of its entries came. Turns of settlement that it was missing for since: patience counts these, and no time in
  -- which nobody could be heard.
  heard_at timestamptz NOT NULL DEFAULT now(),
  waited interval NOT NULL DEFAULT '0',
  -- All its shares accepted before this time are in the books. ahead: so will be those before that time once it has come, for its clock is fast.
  watermark timestamptz NOT NULL DEFAULT 'epoch',
  ahead timestamptz NOT NULL DEFAULT 'epoch',
  -- Of its entries that are booked: why none is booked twice.
  numbers int8multirange NOT NULL DEFAULT '{}',
  shares bigint NOT NULL DEFAULT 0,
  work numeric NOT NULL DEFAULT 0,
  -- What it accepted in all, as its highest entry that came says.
  declared_number bigint NOT NULL DEFAULT 0,
  declared_shares bigint NOT NULL DEFAULT 0,
  declared_work numeric NOT NULL DEFAULT 0,
  declared_watermark timestamptz NOT NULL DEFAULT 'epoch',
  declared_end boolean NOT NULL DEFAULT false,
  -- Nothing is waited for: all of it is booked, or somebody has ended it.
  ended boolean NOT NULL DEFAULT false,
  -- Who, when and why: what was not booked by then may be missing in blocks that were weighed since.
  ended_by text,
  ended_at timestamptz,
  ended_note text,
  -- Blocks that were weighed without what it may have had, the slots of the first and the last of them, and when it was heard of before.
  missed_blocks bigint NOT NULL DEFAULT 0,
  missed_first timestamptz,
  missed_last timestamptz,
  missed_after timestamptz
);
CREATE INDEX log_open ON log (watermark) WHERE NOT ended;

-- Entries that were booked in the last day: shares and work that their log had accepted up to and with each. What comes under the number of
-- one with others is not the same again.
CREATE TABLE entry (
  log uuid NOT NULL,
  number bigint NOT NULL,
  shares bigint NOT NULL,
  work numeric NOT NULL,
  booked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (log, number)
);
CREATE INDEX entry_by_time ON entry (booked_at);

-- What could not be booked. Parts of entries that the database refused for their data, which are set aside until they are booked after all or
-- somebody gives them up for good; the rest of their entries is credited. And whole entries that an operator or a bridge gave up, as they could
-- not be read, were not what is booked under their number, or are gone: their shares and work are as far as they could be counted.
CREATE TABLE unbooked (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  log uuid NOT NULL,
  -- Of the first and the last entry.
  number bigint NOT NULL,
  last_number bigint NOT NULL,
  -- Of those that were accepted.
  shares bigint NOT NULL,
  work numeric NOT NULL,
  -- Sums as JSON, in text, which takes the escapes that jsonb refuses, and why the database did; null of whole entries.
  part text,
  error text,
  set_aside_at timestamptz NOT NULL DEFAULT now(),
  -- null while it is set aside. From then on nobody is credited for it.
  given_up_by text,
  given_up_at timestamptz,
  CHECK (part IS NOT NULL OR given_up_by IS NOT NULL)
);

-- 3. How fresh jobs were.

-- How long jobs took to the rigs, as counts by size, of all bridges together: a row a step of each length that is shown, and
-- as many steps as are shown.
CREATE TABLE freshness (
  step_seconds integer NOT NULL CHECK (step_seconds > 0),
  starts_at timestamptz NOT NULL,
  -- From 0.1 ms on, four sizes in a doubling.
  counts bigint[] NOT NULL CHECK (cardinality(counts) = 80),
  PRIMARY KEY (step_seconds, starts_at)
);

-- 4. Blocks.

-- One row for each winning header, from found to its last word: it is a block of ours once a node may have taken it, or once it is seen on
-- its chain and pays us.
CREATE TABLE block (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pow_hash bytea NOT NULL UNIQUE,
  hash bytea NOT NULL,
  header bytea NOT NULL,
  chain_id integer NOT NULL,
  height bigint NOT NULL,
  parent bytea NOT NULL,
  nonce numeric(20, 0) NOT NULL,
  -- Microseconds since the epoch, as in the header.
  creation_time bigint NOT NULL,
  block_difficulty numeric NOT NULL,
  -- A node's name is its URL without user and password.
  node text NOT NULL DEFAULT '',
  account text NOT NULL DEFAULT '',
  rig text NOT NULL DEFAULT '',
  found_at timestamptz NOT NULL,
  -- The log that it was found in; null where none has named it.
  log uuid,
  -- What its node said; null where nobody has named it.
  said text CHECK (said IN ('found', 'received', 'refused', 'lost', 'perhaps')),
  detail text NOT NULL DEFAULT '',
  -- What its chain says: pending (not deep enough), confirmed, orphaned (another one is confirmed in its place), unclaimed (confirmed, and
  -- nobody knows who found it), disowned (the same, and nobody is to get it); null while it is no block. All below is of blocks alone.
  state text CHECK (state IN ('pending', 'confirmed', 'orphaned', 'unclaimed', 'disowned')),
  -- Its ten seconds: all blocks of them belong together. null until its own log is booked up to there; where the slot is closed by then, it is of
  -- the first open one, as shares of that log are.
  slot timestamptz,
  -- Whom its coinbase pays, and what; null before it was confirmed, and where it cannot be read. fees: what transactions pay the miner besides.
  receiver text,
  coinbase numeric(38, 12),
  fees numeric(38, 12) NOT NULL DEFAULT 0,
  -- What it brings, and where the amount is from: coinbase, schedule. null while that is not known, and where it pays another.
  reward numeric(38, 12),
  reward_source text,
  -- When all that was accepted before the end of its slot was in the books, and who had worked for it was written down; by which rules.
  weighed_at timestamptz,
  scheme text,
  fee_basis_points integer,
  -- Work since the block before; in parts of what the block takes on average.
  round_work numeric,
  effort double precision,
  -- Of one that is split by a window of shares: the work of it, null where it is one of time; from when on all shares count, and from when on a
  -- fraction of them; null where there is nothing before.
  window_work numeric,
  window_whole timestamptz,
  window_edge timestamptz,
  -- Something has changed that its split depends on.
  due boolean NOT NULL DEFAULT false,
  -- While it is split: the slot after which the work begins that it was split by.
  split_from timestamptz,
  -- How often it was split: names the transfers of the last time. What those came to.
  splits integer NOT NULL DEFAULT 0,
  split_total numeric(38, 12) NOT NULL DEFAULT 0,
  -- Its state, or its split.
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX block_by_place ON block (chain_id, height);
CREATE INDEX block_by_chain ON block (chain_id, id);
CREATE INDEX block_by_height ON block (height);
CREATE INDEX block_by_time ON block (found_at);
CREATE INDEX block_by_account ON block (account, found_at);
CREATE INDEX block_by_state ON block (state, id);
CREATE INDEX block_by_reward ON block (id) WHERE reward IS NOT NULL;
CREATE INDEX block_by_slot ON block (slot) INCLUDE (effort);
CREATE INDEX block_taken ON block (found_at) INCLUDE (state) WHERE said IN ('received', 'perhaps', 'lost');
CREATE INDEX block_untaken ON block (said, id) WHERE state IS NULL;
CREATE INDEX block_unweighed ON block (slot) WHERE weighed_at IS NULL AND state NOT IN ('unclaimed', 'disowned');
CREATE INDEX block_without_slot ON block (log) WHERE slot IS NULL AND state IS NOT NULL;
CREATE INDEX block_due ON block (slot, id) WHERE due;
CREATE INDEX block_waiting ON block (slot) WHERE state = 'confirmed' AND split_from IS NULL;
CREATE INDEX block_prop ON block (slot) WHERE scheme = 'prop';
CREATE INDEX block_undecided ON block (slot) WHERE state = 'pending';
CREATE INDEX block_counted ON block (slot) WHERE state IN ('pending', 'confirmed');

-- What an entry says of a solution, as JSON has it (functions.sql, 7). place: of its entry; bytes are hex digits, found_at is in ms.
CREATE TYPE solution_word AS (
  place integer, pow_hash text, hash text, header text, chain_id integer, height bigint, parent text, nonce numeric, creation_time bigint,
  block_difficulty numeric, node text, account text, rig text, found_at double precision, log uuid, said text, detail text
);

-- Blocks that wait for shares. Nobody's do not.
CREATE VIEW unweighed_block AS SELECT * FROM block WHERE weighed_at IS NULL AND state NOT IN ('unclaimed', 'disowned');

-- A chain that is followed: all blocks from where it began up to the cursor were taken over, each once.
CREATE TABLE chain (
  id integer PRIMARY KEY,
  network text NOT NULL,
  -- Hash of its first block, Base64Url as nodes write it; null before it was begun.
  genesis text,
  -- Height of the block that it is followed from; null before it was begun.
  begun_at bigint,
  -- Hash of the last one that was taken over, a row of chain_block; null before it was begun.
  cursor text,
  -- What the last block that could be read paid: those above the cursor are expected to pay as much.
  reward numeric(38, 12),
  -- By order, blocks up to this one are taken over also where no node has their payload.
  skip_to text,
  -- For who looks: the highest head, blocks at the depth that were not taken over yet, when all was well last, and why it is not since then;
  -- empty: it is.
  head_height bigint NOT NULL,
  behind integer NOT NULL DEFAULT 0,
  followed_at timestamptz NOT NULL DEFAULT now(),
  trouble text NOT NULL DEFAULT ''
);

-- Blocks of the last day up to the cursor.
CREATE TABLE chain_block (
  chain_id integer NOT NULL REFERENCES chain,
  height bigint NOT NULL,
  hash text NOT NULL,
  -- What the next one is judged by.
  weight numeric NOT NULL,
  work numeric NOT NULL,
  time_micros bigint NOT NULL,
  epoch_start_micros bigint NOT NULL,
  PRIMARY KEY (chain_id, height)
);

-- How far settlement is.
CREATE TABLE settlement (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Slots that start before this are closed: what comes late counts in the first that is open.
  closed_until timestamptz NOT NULL DEFAULT 'epoch',
  -- The last turn, and when turns began that were not broken off since.
  turn_at timestamptz NOT NULL DEFAULT now(),
  calm_since timestamptz NOT NULL DEFAULT 'epoch',
  -- Periods (ten minutes) before this have their root, and were paid where shares are.
  periods_until timestamptz NOT NULL DEFAULT 'epoch',
  -- The open round: work since the last block that was weighed, of slots from since on and before until; what comes later is read from the slots.
  round_since timestamptz NOT NULL DEFAULT now(),
  round_until timestamptz NOT NULL DEFAULT 'epoch',
  round_accounts integer[] NOT NULL DEFAULT '{}',
  round_work numeric[] NOT NULL DEFAULT '{}'
);
INSERT INTO settlement DEFAULT VALUES;

-- What a block paid in the ten minutes that were paid by share, at that height.
CREATE TABLE pps_period (
  starts_at timestamptz PRIMARY KEY,
  height bigint NOT NULL,
  reward numeric(38, 12) NOT NULL,
  total numeric(38, 12) NOT NULL
);

-- Who worked for a block: under prop (and pps, for its fees) in the slots since the block before, under pplns in its window, under
-- solo its finder.
CREATE TABLE block_weight (
  block_id bigint PRIMARY KEY REFERENCES block,
  accounts integer[] NOT NULL,
  work numeric[] NOT NULL
);

-- What each account did in all up to a time, as the pool has signed it (src/core/audit): made at the end of each ten minutes with shares, and at both
-- ends of each window that a block is split by.
CREATE TABLE root (
  number integer PRIMARY KEY,
  -- Of all slots before it.
  until timestamptz NOT NULL UNIQUE,
  made_at timestamptz NOT NULL DEFAULT now(),
  text text NOT NULL,
  key text NOT NULL,
  signature text NOT NULL,
  -- What its leaves are made of: null once no split that could be checked by it is kept. The salts come from the seed: nobody sees it.
  seed bytea,
  accounts integer[],
  work numeric[],
  shares numeric[]
);

-- 5. Money.

-- These books: logs are shipped only to the ledger with the id that they were written for, and a dump and its restore keep it. generation
-- begins the names of payouts: a restore makes it anew, so that no name is ever given to two payouts.
CREATE TABLE ledger (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  generation text NOT NULL DEFAULT substr(gen_random_uuid()::text, 1, 5)
);
INSERT INTO ledger DEFAULT VALUES;

-- Money from one account (debit) to another (credit): a fact, which never changes. The cause is its code and what it is of, and how often that
-- happened: a block that left its chain may come back. Nothing is moved twice for one cause.
--   block           what a block pays to who worked for it, from its chain    of: the block
--   fee             what the operator keeps of that                           of: the block
--   block reversed  the same, back                                            of: the block
--   divided         what an account passes on of that                         of: the block
--   divided reversed  the same, back                                          of: the block
--   pps             what the shares of ten minutes were worth                 of: these, by their number since the epoch
--   paid            from an account to the chain that it was paid on          of: the payment
--   paid reversed   it was not paid after all                                 of: the payment
--   gas             what the operator paid for a transaction                  of: the transaction
--   gas reversed    the same, back                                            of: the transaction
--   correction      by hand                                                   of: the row of correction
CREATE TABLE transfer (
  code text NOT NULL CHECK (code IN ('block', 'fee', 'block reversed', 'divided', 'divided reversed', 'pps', 'paid', 'paid reversed', 'gas', 'gas reversed', 'correction')),
  of bigint NOT NULL,
  -- 0 for all of a day that is closed: of is its number since the epoch.
  time integer NOT NULL,
  debit integer NOT NULL,
  credit integer NOT NULL CHECK (credit <> debit),
  amount numeric(38, 12) NOT NULL CHECK (amount > 0),
  at timestamptz NOT NULL DEFAULT now(),
  -- How many it stands for.
  transfers bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (code, of, time, debit, credit)
);
-- They come in the order of their times.
CREATE INDEX transfer_by_time ON transfer USING brin (at) WITH (autosummarize = on);
CREATE INDEX transfer_by_credit ON transfer (credit, at) WHERE credit > 0;
CREATE INDEX transfer_by_debit ON transfer (debit, at) WHERE debit > 0;

-- One transfer on its way there.
CREATE TYPE money_move AS (code text, of bigint, time integer, debit integer, credit integer, amount numeric);

-- Sums of transfers, kept so that reading a balance does not read its history. paid: what was paid of it.
CREATE TABLE balance (
  account_id integer PRIMARY KEY REFERENCES account,
  amount numeric(38, 12) NOT NULL,
  paid numeric(38, 12) NOT NULL
);

-- Days whose transfers were summed by debit, credit and code, since there were so many. hash: of the hash of the day before and of all that was
-- summed (functions.sql, 13).
CREATE TABLE closed_day (
  day date PRIMARY KEY,
  transfers bigint NOT NULL,
  hash bytea NOT NULL
);

-- What somebody has moved by hand, and why.
CREATE TABLE correction (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT now(),
  made_by text NOT NULL,
  note text NOT NULL
);

-- What all accounts together are owed, for who looks: of each ten minutes as it was when upkeep came to them.
CREATE TABLE owed (
  starts_at timestamptz PRIMARY KEY,
  due numeric(38, 12) NOT NULL,
  expected numeric(38, 12) NOT NULL,
  paying numeric(38, 12) NOT NULL
);

-- 6. Payouts and payments.

-- Payouts, each a number of payments that are made together. Its state follows from theirs.
CREATE TABLE payout (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Generation and number, such as k3f9e-7.
  name text NOT NULL UNIQUE,
  -- Of accounts that have none of their own.
  minimum numeric(38, 12) NOT NULL,
  -- Where it is paid; null: nobody has said, or each line says.
  chain_id integer,
  prepared_at timestamptz NOT NULL DEFAULT now(),
  prepared_by text,
  note text NOT NULL DEFAULT '',
  -- Of what a bridge pays on chain: the hash of its lines, which is what people approve, and how many of them have to. Null: it is paid by hand.
  hash text,
  approvals integer NOT NULL DEFAULT 0,
  -- Why so many.
  approval_why text NOT NULL DEFAULT '',
  approved_by text[] NOT NULL DEFAULT '{}'
);

-- A number that nobody can have given before, whatever became of the books. It belongs to the table.
CREATE FUNCTION random_id() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT 1 + (hashtextextended(gen_random_uuid()::text, 0) & 9223372036854775806)
$$;

-- Who is paid what. What is prepared, or unknown (whether it was paid), is no longer due; sent is what the operator says; confirmed was seen.
CREATE TABLE payout_line (
  id bigint PRIMARY KEY DEFAULT random_id(),
  payout_id bigint NOT NULL REFERENCES payout,
  account_id integer NOT NULL REFERENCES account,
  chain_id integer,
  amount numeric(38, 12) NOT NULL CHECK (amount > 0),
  state text NOT NULL DEFAULT 'prepared' CHECK (state IN ('prepared', 'sent', 'confirmed', 'failed', 'unknown')),
  -- Of the transaction that pays it.
  request_key text UNIQUE,
  -- How often it was said to be paid: names its last transfer.
  times_paid integer NOT NULL DEFAULT 0,
  note text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL DEFAULT now()
);
-- One on each chain.
CREATE UNIQUE INDEX payout_line_place ON payout_line (payout_id, account_id, coalesce(chain_id, -1));
CREATE INDEX payout_line_by_account ON payout_line (account_id, payout_id);
CREATE INDEX payout_line_open ON payout_line (account_id) INCLUDE (amount) WHERE state IN ('prepared', 'unknown');
CREATE INDEX payout_line_prepared ON payout_line (payout_id) WHERE state = 'prepared';

-- A command that pays a line. Open until a block at the depth ends it: that holds it, or whose time is past the one up to which it may be in one.
CREATE TABLE chain_transaction (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line_id bigint NOT NULL REFERENCES payout_line,
  attempt integer NOT NULL,
  request_key text NOT NULL UNIQUE,
  chain_id integer NOT NULL REFERENCES chain,
  amount numeric(38, 12) NOT NULL,
  -- What is signed and sent, to the byte. Empty: it was found on the chain, and told by people.
  cmd text NOT NULL,
  -- In microseconds of the chain's time.
  until_micros bigint NOT NULL,
  -- That it may cost at the most; what it cost once it has ended.
  gas numeric(38, 12) NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'failed', 'dead')),
  -- No block can say any more what became of it: people do.
  by_hand boolean NOT NULL DEFAULT false,
  built_at timestamptz NOT NULL DEFAULT now(),
  -- When a signer was first asked, its signatures (some of them, where others sign too), and when it was first sent.
  asked_at timestamptz,
  signatures jsonb NOT NULL DEFAULT '[]',
  is_signed boolean NOT NULL DEFAULT false,
  sent_at timestamptz,
  -- Why no signer signs it.
  refused_why text,
  -- The block that ended it, and how often one has: names its last transfer of gas.
  ended_height bigint,
  ended_hash text,
  ended_times integer NOT NULL DEFAULT 0,
  -- When the block that had ended it was last taken back.
  reopened_at timestamptz,
  UNIQUE (line_id, attempt)
);
-- A line is paid once.
CREATE UNIQUE INDEX chain_transaction_alive ON chain_transaction (line_id) WHERE state IN ('open', 'paid');
CREATE INDEX chain_transaction_open ON chain_transaction (chain_id, until_micros) WHERE state = 'open';
CREATE INDEX chain_transaction_by_block ON chain_transaction (chain_id, ended_height);

-- Who pays on chain, for all bridges.
CREATE TABLE payer (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Written anew by each commit of the holder, which names the one before: where it is another, somebody else pays, or the books went back.
  token uuid NOT NULL DEFAULT gen_random_uuid(),
  -- For people: host and data directory; null: nobody pays.
  holder text,
  heard_at timestamptz NOT NULL DEFAULT 'epoch',
  -- That coins are paid from; null: nobody has paid yet.
  account text,
  -- The longest that any of its commands may be included after it was built.
  validity_micros bigint NOT NULL DEFAULT 0,
  -- Nothing is built before the cursor of every chain was past this, in the chain's time; is_ready: it was.
  waits_until bigint NOT NULL DEFAULT 0,
  is_ready boolean NOT NULL DEFAULT false,
  -- The request key of a command of these books that was met after that, and that the books did not know.
  stranger text,
  -- The last time of the schedule at which was planned, and whether somebody has asked for a payout beside it.
  planned_at timestamptz NOT NULL DEFAULT now(),
  is_asked boolean NOT NULL DEFAULT false,
  -- Why what is due was not planned, or not all of it.
  waiting_why text NOT NULL DEFAULT '',
  -- What is dangerous about who pays; empty: nothing is.
  warning text NOT NULL DEFAULT ''
);
INSERT INTO payer DEFAULT VALUES;

-- Why nothing is built, signed or sent for the first time (src/operations/payer/pauses.ts lists the reasons).
CREATE TABLE pause (
  reason text PRIMARY KEY,
  says text NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);

-- What accounts have. due: can be paid, or where it is below zero was paid too much; paying: of the balance, what open payments claim.
CREATE VIEW money AS
  SELECT b.account_id, b.amount - coalesce(open.amount, 0) AS due, coalesce(open.amount, 0) AS paying, b.paid
  FROM balance b LEFT JOIN (
    SELECT account_id, sum(amount) AS amount FROM payout_line WHERE state IN ('prepared', 'unknown') GROUP BY account_id) open USING (account_id);

-- 7. Bridges, and what people are told.

-- Numbers of bridges that share these books: each searches its own creation times, so no two may have the same number.
CREATE TABLE bridge (
  number integer PRIMARY KEY CHECK (number BETWEEN 0 AND 127),
  -- Names a data directory for ever: its next start takes its own number back at once.
  owner uuid NOT NULL,
  -- For people: host and data directory.
  place text NOT NULL,
  heard_at timestamptz NOT NULL DEFAULT now(),
  -- Names a start among all starts, also of a copy of the data directory.
  run uuid NOT NULL,
  -- By what its web signs sessions of people (src/bridge/watch/session-signers.ts); none where it has no web.
  signs jsonb
);

-- What each bridge shows of itself to the others, while somebody looks (src/ledger/watch/bridge-views.ts). Nothing is lost with it.
CREATE UNLOGGED TABLE bridge_view (
  -- Of a bridge; what one has left behind that is gone is too old for anybody.
  number integer PRIMARY KEY,
  shown_at timestamptz NOT NULL DEFAULT now(),
  -- Lines of JSON, gzipped.
  view bytea NOT NULL
);
-- It is compressed already.
ALTER TABLE bridge_view ALTER view SET STORAGE EXTERNAL;

-- What people have ordered of the rigs' side that holds until it is taken back: the newest word about each thing. Every bridge reads on
-- from the last one that it has carried out (src/ledger/orders).
CREATE TABLE operator_order (
  -- A ban, difficulty, label, or addresses.
  kind text NOT NULL,
  -- What is meant, one of its kind.
  about text NOT NULL,
  -- In the order in which they came here: who gives one holds a lock.
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- By the clock of the bridge that was asked.
  given_at timestamptz NOT NULL,
  -- As the API shows it; NULL once it was taken back.
  says jsonb,
  PRIMARY KEY (kind, about)
);

-- The one timeline of all bridges on these books, for people and programs. Nothing of the books depends on it.
CREATE TABLE event (
  -- In the order in which they came here: who tells holds a lock, so that none appears below one that was seen.
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Names the start of the bridge that tells it, and the line among those of this start: told twice it is here once.
  run uuid NOT NULL DEFAULT gen_random_uuid(),
  number bigint NOT NULL DEFAULT 1,
  -- By the clock of who tells it.
  happened_at timestamptz NOT NULL DEFAULT now(),
  kind text NOT NULL,
  says text NOT NULL,
  facts jsonb NOT NULL,
  -- Of the bridge; NULL for what the books themselves tell.
  instance integer,
  -- Who ordered it.
  ordered_by text,
  UNIQUE (run, number)
);
CREATE INDEX event_by_time ON event (happened_at);
-- Of each kind so many lines are kept, and as many that somebody ordered, which are few: which is which is read from the indexes.
CREATE INDEX event_by_kind ON event (kind, id) INCLUDE (ordered_by);
CREATE INDEX event_ordered ON event (kind, id) WHERE ordered_by IS NOT NULL;

-- The login that a line tells of, or the account alone: bans and messages name it, blocks and difficulties its parts, alerts what they
-- are about. Cut to what an index takes, which is longer than any login. It stands here because an index is made with it: it changes
-- with that index only.
CREATE FUNCTION login_of(p_facts jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(
    nullif(p_facts ->> 'login', ''),
    (p_facts ->> 'account') || coalesce('.' || nullif(p_facts ->> 'rig', ''), ''),
    p_facts ->> 'about'), 200)
$$;
CREATE INDEX event_by_login ON event (login_of(facts), id) WHERE login_of(facts) IS NOT NULL;

-- An alert from opened to resolved. What only happens (a block) is resolved as it is opened.
CREATE TABLE alert (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  condition text NOT NULL,
  -- What of the condition is meant: a node, a rig, a bridge.
  about text NOT NULL,
  severity text NOT NULL,
  says text NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(),
  -- When a bridge last found that it is so.
  reported_at timestamptz NOT NULL DEFAULT now(),
  -- Which bridges find that it is so, and when each last did: what one finds well another may not.
  found_by jsonb NOT NULL DEFAULT '{}',
  -- When it was last told.
  told_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  resolved_says text NOT NULL DEFAULT ''
);
-- However many bridges find it, it is open once.
CREATE UNIQUE INDEX alert_open ON alert (condition, about) WHERE resolved_at IS NULL;
CREATE INDEX alert_by_condition ON alert (condition, id);
CREATE INDEX alert_by_end ON alert (resolved_at);

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
INSERT INTO alert_watch (last_line) VALUES (0);

-- 8. What made these books.

-- Checksums of this file and of the functions, by which a start knows whether these are its books (src/ledger/database/make-books.ts).
CREATE TABLE made (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  tables text NOT NULL,
  functions text NOT NULL
);
