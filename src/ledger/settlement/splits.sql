-- Splits of blocks: what is due, what is expected, and what is posted.

-- name: isDue. Nothing is split while blocks of a chain are still to be taken over.
SELECT EXISTS (SELECT FROM block WHERE due AND weighed_at IS NOT NULL) AND NOT EXISTS (SELECT FROM chain WHERE behind > 0) AS due;

-- name: takeDue ($1: how many). They are due no more. What one brings that is not confirmed yet is taken from the last block of its chain.
UPDATE block b SET due = false FROM solution s WHERE s.id = b.solution_id AND b.solution_id IN (
  SELECT solution_id FROM block WHERE due AND weighed_at IS NOT NULL ORDER BY slot, solution_id LIMIT $1)
RETURNING b.solution_id AS id, b.slot AS "slot!", b.state, b.scheme AS "scheme!", s.found_at AS "foundAt",
  CASE WHEN b.state = 'pending' THEN (SELECT c.reward FROM chain c WHERE c.id = s.chain_id) ELSE b.reward END::text AS reward, b.fees, b.posted_at IS NOT NULL AS "isPosted",
  b.split_from AS "splitFrom";

-- name: weightsOf ($1: block). Who worked for it.
SELECT u.account::text AS "account!", u.work::text AS "work!" FROM block_weight b, unnest(b.accounts, b.work) AS u (account, work) WHERE b.solution_id = $1;

-- name: expect ($1: block, $2: accounts, $3: amounts)
INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
  SELECT $1, coalesce(max(number), 0) + 1, 'block', $2, $3 FROM block_split WHERE solution_id = $1;

-- name: expectNothing ($1: block)
DELETE FROM block_split WHERE solution_id = $1 AND period IS NULL;

-- name: isSplit ($1: block, $2: the slot after which the work begins that it is split by)
UPDATE block SET split_from = $2, resplits = resplits + (posted_at IS NOT NULL)::int WHERE solution_id = $1;

-- name: isPosted ($1: block)
UPDATE block SET posted_at = now() WHERE solution_id = $1;

-- name: isTakenBack ($1: block). One that is waited for again is expected again, at the next turn.
UPDATE block SET posted_at = NULL, split_from = NULL, due = state = 'pending' AND posted_at IS NOT NULL WHERE solution_id = $1;

-- name: reverse ($1: block)
INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
  SELECT $1, (SELECT max(number) + 1 FROM block_split WHERE solution_id = $1), 'reversed',
         coalesce(array_agg(account_id), '{}'), coalesce(array_agg(-amount), '{}') FROM split_of($1);

-- name: splitAgain ($1: block, $2: accounts, $3: amounts). The difference.
INSERT INTO block_split (solution_id, number, cause, accounts, amounts)
  SELECT $1, (SELECT max(number) + 1 FROM block_split WHERE solution_id = $1), 'split again',
         coalesce(array_agg(account_id), '{}'), coalesce(array_agg(amount), '{}')
  FROM (SELECT account_id, sum(amount) AS amount FROM (
          SELECT account_id, -amount AS amount FROM split_of($1)
          UNION ALL SELECT * FROM unnest($2::int[], $3::numeric[])) AS changes
        GROUP BY account_id HAVING sum(amount) <> 0) AS difference;

-- name: post ($1: blocks). All of their splits that was not posted yet. What a block pays is owed by the operator's book of rewards.
WITH moved AS (
  UPDATE block_split SET period = period_of(now()) WHERE solution_id = ANY ($1::bigint[]) AND period IS NULL
  RETURNING cause, accounts, amounts
), line AS (
  SELECT cause, account, sum(amount) AS amount FROM moved, unnest(accounts, amounts) AS u (account, amount) GROUP BY 1, 2
)
SELECT post(NULL, cause, array_agg(account), array_agg(book), array_agg(amount)) FROM (
  SELECT cause, account, 'balance' AS book, amount FROM line
  UNION ALL SELECT cause, 0, 'rewards', -sum(amount) FROM line GROUP BY cause) AS lines
GROUP BY cause ORDER BY cause;

-- name: expected ($1: blocks). What is expected of them, by account.
SELECT coalesce(array_agg(account), '{}') AS accounts, coalesce(array_agg(amount::text), '{}') AS amounts
FROM block_split, unnest(accounts, amounts) AS u (account, amount) WHERE period IS NULL AND solution_id = ANY ($1::bigint[]);

-- name: hold ($1: blocks, $2: accounts, $3: amounts). What is expected of these blocks now, and less what was expected before.
INSERT INTO held (account_id, amount)
  SELECT account, sum(amount) FROM (
    SELECT account, amount FROM block_split, unnest(accounts, amounts) AS u (account, amount)
    WHERE period IS NULL AND solution_id = ANY ($1::bigint[])
    UNION ALL SELECT account, -amount FROM unnest($2::int[], $3::numeric[]) AS b (account, amount)) AS changes
  GROUP BY account HAVING sum(amount) <> 0 ORDER BY account
ON CONFLICT (account_id) DO UPDATE SET amount = held.amount + excluded.amount;

-- name: holdNoZeros
DELETE FROM held WHERE amount = 0;
