-- Checks of payments on chain. Each row is a sentence that says what breaks one; at most twenty, which are shown.

-- name: alive
SELECT format('payment %s has %s transactions that are not dead: %s', payment_id, count(*), string_agg(request_key, ', ' ORDER BY attempt)) AS says
FROM transaction WHERE state NOT IN ('refused', 'expired', 'dropped') GROUP BY payment_id HAVING count(*) > 1
ORDER BY says LIMIT 20;

-- name: attempts. The dead of the one before was found out, and what showed it was written down; one that was found on the chain, and is of
-- these books before they were restored, shows by itself that those before it are; so does what was told of those that the signer log had.
SELECT format('attempt %s of payment %s was made, and that the one before is dead is %s', t.attempt, t.payment_id,
              CASE WHEN p.id IS NULL THEN 'unknown: there is none' WHEN p.state NOT IN ('refused', 'expired', 'dropped') THEN format('not so: it is %s', p.state)
                   ELSE 'not shown by any event' END) AS says
FROM transaction t JOIN payment l ON l.id = t.payment_id LEFT JOIN transaction p ON p.payment_id = t.payment_id AND p.attempt = t.attempt - 1
WHERE t.attempt > 1 AND NOT (p.id IS NULL AND t.attempt <= l.former_attempts + 1 AND EXISTS (
    SELECT FROM payment_event e WHERE e.payment_id = l.id AND e.was = 'signed before' AND e.now = 'expired' AND e.evidence <> '{}'))
  AND NOT EXISTS (SELECT FROM payment_event e WHERE e.transaction_id = t.id AND e.was = 'unknown to these books')
  AND (p.id IS NULL OR p.state NOT IN ('refused', 'expired', 'dropped') OR NOT EXISTS (
  SELECT FROM payment_event e WHERE e.transaction_id = p.id AND e.now = p.state AND e.evidence <> '{}'))
ORDER BY says LIMIT 20;

-- name: lines
SELECT format('payment %s of payout %s is %s, and its transactions are: %s', l.id, b.name, l.state, coalesce(t.states, 'none')) AS says
FROM payment l JOIN payout b ON b.id = l.payout_id
LEFT JOIN LATERAL (
  SELECT string_agg(state, ', ' ORDER BY attempt) AS states, count(*) FILTER (WHERE state IN ('confirmed', 'final')) AS paid,
         max(state) FILTER (WHERE state NOT IN ('refused', 'expired', 'dropped')) AS alive
  FROM transaction WHERE payment_id = l.id) t ON true
WHERE b.paid_by = 'chain' AND NOT CASE l.state
  WHEN 'confirmed' THEN t.paid = 1
  WHEN 'sent' THEN coalesce(t.alive IN ('sent', 'included'), false)
  WHEN 'prepared' THEN t.alive IS NULL OR t.alive IN ('built', 'signed', 'included')
  WHEN 'unknown' THEN coalesce(t.alive = 'unknown', false)
  ELSE t.alive IS NULL END
ORDER BY says LIMIT 20;

-- name: moves
WITH due AS (
  SELECT format('tx %s confirmed %s', id, n) AS key FROM transaction,
    generate_series(0, returns - CASE WHEN state IN ('confirmed', 'final') THEN 0 ELSE 1 END) AS n
  UNION ALL SELECT format('tx %s returned %s', id, n) FROM transaction, generate_series(1, returns) AS n
  UNION ALL SELECT format('tx %s refused %s', id, n) FROM transaction, generate_series(0, revivals - CASE WHEN state = 'refused' THEN 0 ELSE 1 END) AS n
  UNION ALL SELECT format('tx %s revived %s', id, n) FROM transaction, generate_series(1, revivals) AS n
  UNION ALL SELECT format('line %s rejected', l.id) FROM payment l JOIN payout b ON b.id = l.payout_id
    WHERE b.rejected_at IS NOT NULL AND l.state = 'failed'
), may AS (
  SELECT format('tx %s expired', id) AS key FROM transaction WHERE state IN ('expired', 'dropped')
  UNION ALL SELECT format('line %s held', id) FROM payment WHERE state = 'held'
)
SELECT CASE WHEN made.key IS NULL THEN format('money was not moved for "%s", and should have been', due.key)
            ELSE format('money was moved for "%s", and nothing says why', made.key) END AS says
FROM due FULL JOIN money_move made USING (key)
WHERE made.key IS NULL OR (due.key IS NULL AND NOT EXISTS (SELECT FROM may WHERE may.key = made.key))
ORDER BY says LIMIT 20;

-- name: gas
SELECT format('the books say that gas took %s of %L, and the transactions %s', coalesce(b.amount, 0),
              (SELECT name FROM account WHERE id = coalesce(b.account_id, t.gas_of)), coalesce(t.amount, 0)) AS says
FROM (SELECT account_id, amount FROM balance WHERE book = 'gas') b
FULL JOIN (SELECT gas_of, sum(gas_paid) AS amount FROM transaction WHERE state IN ('confirmed', 'final', 'refused') GROUP BY 1) t ON t.gas_of = b.account_id
WHERE coalesce(b.amount, 0) <> coalesce(t.amount, 0)
ORDER BY says LIMIT 20;

-- name: content
SELECT format('payout %s has other lines than it was prepared with: their hash is %s, and its content hash %s', name, lines_hash(id), content_hash) AS says
FROM payout b WHERE paid_by = 'chain' AND has_other_lines(b)
ORDER BY says LIMIT 20;

-- name: chains. The debits of the account, in blocks that were read, are at least what transactions in those blocks took: of others there may be more.
SELECT format('on chain %s the account has %s, and by what was read %s', chain_id, balance, first_balance + credits - debits) AS says
FROM payer_chain WHERE balance <> first_balance + credits - debits
UNION ALL
SELECT format('on chain %s transactions took %s in blocks %s to %s, and %s left the account', c.chain_id, took, c.first_height + 1, c.height, c.debits)
FROM payer_chain c CROSS JOIN LATERAL (
  SELECT coalesce(sum(t.gas_paid + CASE WHEN t.state = 'refused' THEN 0 ELSE l.amount END), 0)::numeric(38, 12) AS took
  FROM transaction t JOIN payment l ON l.id = t.payment_id
  WHERE t.chain_id = c.chain_id AND t.state IN ('confirmed', 'final', 'refused') AND t.block_height > c.first_height AND t.block_height <= c.height) own
WHERE took > c.debits
ORDER BY says LIMIT 20;

-- name: now ($1: how many sentences). What concerns payments and is asked quickly, in one statement, so of one moment: lines that are
-- under way, transactions that are followed, and the sums of the books. Not the history of postings and attempts.
WITH off AS (
  SELECT coalesce(l.account_id, b.account_id) AS account_id, coalesce(l.book, b.book) AS book, coalesce(b.amount, 0) AS booked, coalesce(l.amount, 0) AS lines
  FROM (SELECT account_id, book, amount FROM balance WHERE book IN ('paying', 'paid')) b
  FULL JOIN (
    SELECT account_id, CASE WHEN state = 'confirmed' OR (state = 'sent' AND paid_by = 'manual') THEN 'paid' ELSE 'paying' END AS book, sum(amount) AS amount
    FROM payment JOIN payout ON payout.id = payout_id WHERE state IN ('prepared', 'sent', 'unknown', 'confirmed') GROUP BY 1, 2) l USING (account_id, book)
  WHERE coalesce(b.amount, 0) <> coalesce(l.amount, 0)
), alive AS (
  SELECT f.id, f.payment_id, f.state, l.state AS line, (SELECT count(*) FROM transaction o
    WHERE o.payment_id = f.payment_id AND o.state NOT IN ('refused', 'expired', 'dropped')) AS living
  FROM transaction f JOIN payment l ON l.id = f.payment_id WHERE f.followed
)
SELECT says FROM (
  SELECT 1 AS place, format('I1: all books together hold %s, and not nothing', sum(amount)) AS says FROM balance HAVING sum(amount) <> 0
  UNION ALL
  SELECT 2, format('I2: %s of %L: books %s, payments %s', book, (SELECT name FROM account WHERE id = account_id), booked, lines) FROM off
  UNION ALL
  SELECT 3, format('I2: payment %s is %s, and its transaction is %s', payment_id, line, state) FROM alive WHERE NOT CASE state
    WHEN 'built' THEN line = 'prepared' WHEN 'signed' THEN line = 'prepared' WHEN 'sent' THEN line = 'sent'
    WHEN 'included' THEN line IN ('prepared', 'sent') WHEN 'unknown' THEN line = 'unknown'
    WHEN 'confirmed' THEN line = 'confirmed' ELSE true END
  UNION ALL
  SELECT 4, format('I3: payment %s has %s transactions that are not dead', payment_id, living) FROM alive WHERE living > 1 GROUP BY payment_id, living
  UNION ALL
  SELECT 5, format('payout %s has other lines than it was prepared with', name) FROM payout b WHERE paid_by = 'chain' AND closed_at IS NULL AND has_other_lines(b)
) AS found ORDER BY place, says LIMIT $1;

-- name: transactions ($1: after which, $2: how many)
SELECT t.id, t.payment_id AS "paymentId", t.attempt, t.chain_id AS "chainId", t.cmd, t.request_key AS "requestKey",
       t.creation_time::float8 AS "creationTimeS", t.ttl AS "ttlS", t.gas_limit AS "gasLimit", t.gas_price AS "gasPrice", a.name AS account,
       l.amount, l.chain_id AS "lineChainId", p.account AS payer, p.network,
       EXISTS (SELECT FROM payment_event e WHERE e.transaction_id = t.id AND e.was = 'unknown to these books') AS "isFound"
FROM transaction t JOIN payment l ON l.id = t.payment_id JOIN account a ON a.id = l.account_id CROSS JOIN payer p
WHERE t.id > $1::bigint ORDER BY t.id LIMIT $2;
