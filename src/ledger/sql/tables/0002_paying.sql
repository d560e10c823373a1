-- Paying on chain: what is written down before anything is signed, and what became of it. src/payouts is told by these tables alone.

-- 1. What an account wishes, and who waits.

ALTER TABLE account
  ADD wished_chain integer CHECK (wished_chain >= 0),
  -- The time in the last wish that its own key signed: an older one is refused.
  ADD wished_at timestamptz;

-- Accounts that are not paid, on a chain or on all (null), until a time or somebody allows it.
CREATE TABLE payout_hold (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account,
  chain_id integer,
  until timestamptz,
  note text NOT NULL,
  held_by text NOT NULL,
  held_at timestamptz NOT NULL DEFAULT now(),
  allowed_by text,
  allowed_at timestamptz
);
CREATE UNIQUE INDEX payout_hold_open ON payout_hold (account_id, coalesce(chain_id, -1)) WHERE allowed_at IS NULL;

-- 2. Batches and their lines.

ALTER TABLE payout
  -- manual: the operator pays it by files. chain: the payer of a bridge pays it.
  ADD paid_by text NOT NULL DEFAULT 'manual' CHECK (paid_by IN ('manual', 'chain')),
  -- SHA-256 over its sorted lines, lower-case hex: what an approval is of.
  ADD content_hash text,
  -- Why somebody has to approve it; null: nobody has to.
  ADD approval_for text,
  ADD approvals_needed integer NOT NULL DEFAULT 0,
  ADD rejected_at timestamptz,
  -- When all of its lines had their last word.
  ADD closed_at timestamptz;
CREATE INDEX payout_open ON payout (id) WHERE paid_by = 'chain' AND closed_at IS NULL;

CREATE TABLE payout_approval (
  payout_id bigint NOT NULL REFERENCES payout,
  approved_by text NOT NULL,
  content_hash text NOT NULL,
  approved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (payout_id, approved_by)
);

-- held: it failed alone, and its amount is back in the balance; its account waits until it is allowed.
ALTER TABLE payment
  DROP CONSTRAINT payment_state_check,
  ADD CONSTRAINT payment_state_check CHECK (state IN ('prepared', 'sent', 'confirmed', 'failed', 'unknown', 'held')),
  -- Of an amount that no single chain has.
  ADD part integer NOT NULL DEFAULT 0,
  -- Up to which of its attempts books of before these were restored had it signed, as the signer log says; all were shown to be dead.
  ADD former_attempts integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT payment_payout_id_account_id_key,
  ADD UNIQUE (payout_id, account_id, part);
CREATE INDEX payment_open ON payment (payout_id) WHERE state IN ('prepared', 'sent', 'unknown');

-- 3. Transactions.

-- One signed command that pays one line. It is here, with its bytes, before anything is signed; each attempt of a line is a new one.
--   built -> signed -> sent -> included -> confirmed -> final
--   dead, each by proof: dropped (never signed), refused (failed on the chain), expired (nobody can include it any more)
CREATE TABLE transaction (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id bigint NOT NULL REFERENCES payment,
  attempt integer NOT NULL,
  chain_id integer NOT NULL,
  cmd text NOT NULL,
  request_key text NOT NULL UNIQUE,
  -- Seconds of the chain's time.
  creation_time bigint NOT NULL,
  ttl integer NOT NULL,
  gas_limit integer NOT NULL,
  gas_price numeric(38, 12) NOT NULL,
  -- The chain's head when it was built: no block below can have it.
  birth_height bigint NOT NULL,
  birth_hash text NOT NULL,
  -- When its bytes were first given to somebody who can sign: from then on it may be somewhere, signed.
  asked_at timestamptz,
  sigs jsonb,
  -- While some of its signers have signed and others have not: [{"pubKey": …, "sig": …}].
  partial_sigs jsonb,
  state text NOT NULL DEFAULT 'built' CHECK (state IN (
    'built', 'signed', 'sent', 'included', 'confirmed', 'final', 'refused', 'expired', 'dropped', 'unknown')),
  block_height bigint,
  block_hash text,
  gas_paid numeric(38, 12),
  -- Out of whose balance it went: the setting may be another by the time that it is given back.
  gas_of integer REFERENCES account,
  why text NOT NULL DEFAULT '',
  -- Whether its block may still leave the chain, or it may still come into one.
  followed boolean NOT NULL DEFAULT true,
  -- How often its block has left the chain after it was confirmed.
  returns integer NOT NULL DEFAULT 0,
  -- The same, after it was refused: it may succeed on another branch.
  revivals integer NOT NULL DEFAULT 0,
  built_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  changed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (payment_id, attempt)
);
-- The last guard against paying twice: it holds whatever two payers do.
CREATE UNIQUE INDEX transaction_alive ON transaction (payment_id) WHERE state NOT IN ('refused', 'expired', 'dropped');
CREATE INDEX transaction_followed ON transaction (chain_id, id) WHERE followed;
CREATE INDEX transaction_by_time ON transaction (sent_at) WHERE sent_at IS NOT NULL;

CREATE FUNCTION keep_command() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the command of a transaction never changes';
END
$$;
CREATE TRIGGER keep_command BEFORE UPDATE OF payment_id, attempt, chain_id, cmd, request_key, creation_time, ttl ON transaction
  FOR EACH ROW EXECUTE FUNCTION keep_command();

-- What happened to payments, each with what showed it. Nothing of it ever changes.
CREATE TABLE payment_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id bigint NOT NULL REFERENCES payment,
  transaction_id bigint REFERENCES transaction,
  happened_at timestamptz NOT NULL DEFAULT now(),
  happened_by text NOT NULL,
  was text NOT NULL,
  now text NOT NULL,
  -- Node, height, hash and the like.
  evidence jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX payment_event_by_payment ON payment_event (payment_id, id);
CREATE FUNCTION keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what happened to a payment never changes';
END
$$;
CREATE TRIGGER keep_event BEFORE UPDATE OR DELETE ON payment_event FOR EACH ROW EXECUTE FUNCTION keep_event();

-- Names of moves in the books that may happen once: `tx 31 confirmed`, `tx 31 returned 1`.
CREATE TABLE money_move (
  key text PRIMARY KEY,
  moved_at timestamptz NOT NULL DEFAULT now()
);

-- gas: what the chain took for transactions.
ALTER TABLE posting
  DROP CONSTRAINT posting_book_check,
  ADD CONSTRAINT posting_book_check CHECK (book IN ('rewards', 'pps', 'balance', 'paying', 'paid', 'gas'));

-- 4. The payer: one of all bridges.

CREATE TABLE payer (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Who pays has the highest: a commit with a lower one is refused.
  fence bigint NOT NULL DEFAULT 0,
  place text NOT NULL DEFAULT '',
  -- From what account, on what network; null: never yet.
  account text,
  network text,
  -- Nobody signs where it pays: transactions are taken to others, and brought back.
  signs_elsewhere boolean NOT NULL DEFAULT false,
  paused_at timestamptz,
  -- One word of why, what it says, and what showed it.
  pause_kind text,
  pause_says text,
  pause_by text,
  pause_evidence jsonb,
  ran_at timestamptz,
  -- When somebody asked for a batch now.
  batch_asked_at timestamptz,
  -- When somebody asked to compare books and chain, from what height on (null: from what was read), and whether what is missing is
  -- entered; and what came of it last.
  reconcile_asked_at timestamptz,
  reconcile_since bigint,
  reconcile_applies boolean NOT NULL DEFAULT false,
  reconciled_at timestamptz,
  reconciled jsonb,
  next_at timestamptz,
  -- Why the last run made no batch, or the next one is late.
  why_not text NOT NULL DEFAULT '',
  heard_at timestamptz
);
INSERT INTO payer DEFAULT VALUES;

-- Ids of these books before they were restored: what they sent bears them.
CREATE TABLE former_ledger (
  id uuid PRIMARY KEY,
  until timestamptz NOT NULL DEFAULT now()
);

-- Debits of the payer's account that no transaction of these books made, and that somebody who looked at them has accepted. The newest are kept.
CREATE TABLE accepted_debit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Request key of the command that made it; of one without a command, the hash of its block.
  name text NOT NULL UNIQUE,
  chain_id integer NOT NULL,
  height bigint NOT NULL,
  -- Who got it.
  account text NOT NULL,
  amount numeric(38, 12) NOT NULL,
  accepted_by text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT now(),
  note text NOT NULL
);

-- What is known of the payer's account on each chain, from checked blocks alone: all up to this block was read, and its balance there.
CREATE TABLE payer_chain (
  chain_id integer PRIMARY KEY,
  height bigint NOT NULL,
  hash text NOT NULL,
  balance numeric(38, 12) NOT NULL,
  -- Where reading began, and the sums since then.
  first_height bigint NOT NULL,
  first_balance numeric(38, 12) NOT NULL,
  -- Up to here books and chain are known to agree: it stands still while they were restored and not compared.
  compared_height bigint NOT NULL,
  credits numeric(38, 12) NOT NULL DEFAULT 0,
  debits numeric(38, 12) NOT NULL DEFAULT 0,
  -- For who looks: the head as seen last, and what is wrong with the chain; empty: nothing.
  head_height bigint,
  head_at timestamptz,
  trouble text NOT NULL DEFAULT '',
  -- Coins that lines wait for.
  missing numeric(38, 12) NOT NULL DEFAULT 0,
  -- What is odd there and stops nothing, such as a dry run that one node fails and another does not; empty: nothing.
  doubt text NOT NULL DEFAULT '',
  looked_at timestamptz NOT NULL DEFAULT now()
);
