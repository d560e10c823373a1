-- Splits of blocks: which are due, and what is transferred.

-- name: isDue. Nothing is split while blocks of a chain are still to be taken over.
SELECT EXISTS (SELECT FROM block WHERE due AND weighed_at IS NOT NULL) AND NOT EXISTS (SELECT FROM chain WHERE behind > 0) AS due;

-- name: takeDue ($1: how many). They are due no more.
UPDATE block b SET due = false FROM solution s WHERE s.id = b.solution_id AND b.solution_id IN (
  SELECT solution_id FROM block WHERE due AND weighed_at IS NOT NULL ORDER BY slot, solution_id LIMIT $1)
RETURNING b.solution_id AS id, b.slot AS "slot!", b.state, b.scheme AS "scheme!", s.found_at AS "foundAt", b.reward, b.fees, b.split_from AS "splitFrom";

-- name: weightsOf ($1: block). Who worked for it.
SELECT u.account::text AS "account!", u.work::text AS "work!" FROM block_weight b, unnest(b.accounts, b.work) AS u (account, work) WHERE b.solution_id = $1;

-- name: split ($1: block, $2: the slot after which the work begins that it is split by, $3: accounts, $4: amounts)
-- What the operator keeps is a fee; where shares are paid (pps), the block is the operator's.
WITH split AS (
  UPDATE block b SET split_from = $2, splits = splits + 1, changed_at = now(),
    split_total = (SELECT coalesce(sum(a), 0) FROM unnest($4::numeric[]) AS a) FROM solution s WHERE s.id = b.solution_id AND b.solution_id = $1
  RETURNING b.solution_id AS id, b.splits, b.scheme, chain_account(s.chain_id) AS chain
)
SELECT transfer_money(array_agg((
  CASE WHEN account = 0 AND scheme <> 'pps' THEN 'fee' ELSE 'block' END, id, splits, chain, account, amount)::money_move))
FROM split, unnest($3::int[], $4::numeric[]) AS u (account, amount);

-- name: takeBack ($1: block). Whether its transfers were still there.
SELECT reverse_block($1) OR split_total = 0 AS "done!" FROM block WHERE solution_id = $1;

-- name: isTakenBack ($1: block)
UPDATE block SET split_from = NULL, changed_at = now() WHERE solution_id = $1;
