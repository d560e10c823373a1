-- name: transfer ($1: codes, $2: of what, $3: how often before and with this, $4: debits, $5: credits, $6: amounts)
SELECT transfer_money(array_agg((code, of, time, debit, credit, amount)::money_move))
FROM unnest($1::text[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::numeric[]) AS m (code, of, time, debit, credit, amount);

-- name: transferPayments ($1: payments, $2: whether they were made, or were not after all)
SELECT transfer_payments($1, $2);

-- name: chainAccount ($1: chain). The number of its account.
SELECT chain_account($1) AS "id!";
