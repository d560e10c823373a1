-- Splits of blocks: which are due, and what is transferred.

-- name: isDue. Nothing is split while blocks of a chain are still to be taken over; one that stands still holds up no other.
SELECT EXISTS (SELECT FROM block WHERE due AND weighed_at IS NOT NULL) AND NOT EXISTS (SELECT FROM chain WHERE behind > 0 AND trouble = '') AS due;

-- name: takeDue ($1: how many). They are due no more.
UPDATE block SET due = false WHERE id IN (SELECT id FROM block WHERE due AND weighed_at IS NOT NULL ORDER BY slot, id LIMIT $1)
RETURNING id, slot AS "slot!", state AS "state!", scheme AS "scheme!", found_at AS "foundAt", reward, fees, split_from AS "splitFrom";

-- name: weightsOf ($1: block). Who worked for it.
SELECT u.account::text AS "account!", u.work::text AS "work!" FROM block_weight b, unnest(b.accounts, b.work) AS u (account, work) WHERE b.block_id = $1;

-- name: split ($1: block, $2: the slot after which the work begins that it is split by, $3: accounts, $4: amounts)
-- What the operator keeps is a fee; where shares are paid (pps), the block is the operator's.
WITH split AS (
  UPDATE block SET split_from = $2, splits = splits + 1, changed_at = now(),
    split_total = (SELECT coalesce(sum(a), 0) FROM unnest($4::numeric[]) AS a) WHERE id = $1
  RETURNING id, splits, scheme, chain_account(chain_id) AS chain
)
SELECT transfer_money(array_agg((
  CASE WHEN account = 0 AND scheme <> 'pps' THEN 'fee' ELSE 'block' END, id, splits, chain, account, amount)::money_move))
FROM split, unnest($3::int[], $4::numeric[]) AS u (account, amount);

-- name: divide ($1: block)
SELECT divide_block($1);

-- name: takeBack ($1: block). Whether its transfers were still there.
SELECT reverse_block($1) OR split_total = 0 AS "done!" FROM block WHERE id = $1;

-- name: isTakenBack ($1: block)
UPDATE block SET split_from = NULL, changed_at = now() WHERE id = $1;
