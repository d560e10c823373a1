/** Examples for the document of the API: what a bridge of a demo does not come to, in real books with a real web. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { setAsideOf } from '../../../src/assembly/books/set-aside.js';
import { generateMinerKeys } from '../../../src/commands/keygen/keys.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { markPayout } from '../../../src/ledger/payments/mark.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { renewLogs } from '../../../src/ledger/recording/logs.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { bookOrders } from '../../../src/ledger/watch/orders.js';
import { openBooksWatch } from '../../../src/ledger/watch/watch.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { giveMoney } from '../books/money.js';
import { signText } from '../books/owner-signature.js';
import { startTestPostgres } from '../books/postgres.js';
import { recordSolution } from '../books/record-solution.js';
import { signRoot } from '../books/root-key.js';
import { settleAll } from '../books/settlement.js';
import { entryOf, makeShare } from '../rigs/shares.js';
import { makeSolution } from '../rigs/solutions.js';
import { idleBridge } from './idle-bridge.js';
import { ADMIN, RULES } from './operators.js';

type Answers = Record<string, unknown>;

const POOL = `k:${'ab'.repeat(32)}`;
const MINERS = ['1f', '2e', '3d'].map((two) => `k:${two.repeat(32)}`);
const coins = (text: string): bigint => parseAmount(text) ?? 0n;

export async function answersOfALedger(): Promise<Answers> {
  const postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  const watch = openBooksWatch({ connectionString: postgres.connectionString, ready: ledger.ready });
  const { events, sources: idle } = idleBridge();
  const sources = { ...idle, books: watch };
  const web = await startWebServer({
    ...{ host: '127.0.0.1', port: 0, sources, metrics: createMetrics(events, sources), log: SILENT },
    setAside: setAsideOf(
      ledger.pool,
      { backend: 'postgres', connectionString: postgres.connectionString },
      SILENT,
    ),
    payouts: bookOrders({ pool: ledger.pool, chains: () => [0, 1, 2, 3] }),
    access: () => RULES,
  });
  try {
    return await answersAt(web.url, ledger);
  } finally {
    await web.close();
    await watch.close();
    await ledger.close();
    await postgres.close();
  }
}

async function answersAt(url: string, ledger: Ledger): Promise<Answers> {
  const answers: Answers = {};
  const order = async (name: string, parts: Record<string, string> = {}, body?: object): Promise<void> => {
    const [method = '', path = ''] = name.split(' ');
    const asked = url + path.replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '');
    const authorization = `Bearer ${ADMIN}`;
    const sent =
      body === undefined
        ? { headers: { authorization } }
        : { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(asked, { method, ...sent });
    if (answer.status !== 200) throw new Error(`${name}: ${await answer.text()}`);
    if (body !== undefined) answers[`${name} asked`] = body;
    answers[name] = await answer.json();
  };
  await writeFirstRules(ledger.pool, { ...REWARD_RULES, poolAccounts: [POOL] }, 'bridge 0');
  await payOne(ledger.pool);
  const { account, secretKey } = generateMinerKeys();
  await accountIds(ledger.pool, [account]);
  const share = makeShare({ account, acceptedAtMs: Date.now() - 30 * 60_000 });
  await ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares: [share] }));
  await settleAll(ledger.pool, REWARD_RULES);
  const wish = JSON.stringify({
    account,
    pool: signRoot('').key,
    minimum: '5',
    chain: 3,
    beneficiaries: null,
    time: new Date().toISOString(),
  });
  const signed = { wish, signature: signText(secretKey, wish) };
  await order('POST /api/v1/accounts/{account}/wish', { account }, signed);
  const asks = JSON.stringify({ account, asks: 'proofs', time: new Date().toISOString() });
  const asked = { asks, signature: signText(secretKey, asks), roots: [1] };
  await order('POST /api/v1/accounts/{account}/proofs', { account }, asked);
  await order('PUT /api/v1/accounts/{account}/terms', { account }, { fee: '0.5%', note: 'ten rigs' });
  await order('GET /api/v1/ledger/terms');
  const note = 'shares of the outage';
  await order('POST /api/v1/accounts/{account}/corrections', { account }, { amount: '0.25', note });
  const paid = {
    account,
    amount: '4.5',
    requestKey: 'bEpA8kGYZIpWhkQGPZDkAjXyFmbbJIS9tqXPSN3UjQ4',
    note: 'paid twice',
  };
  await order('POST /api/v1/payouts/entered', {}, paid);
  await order('GET /api/v1/accounts/{account}/statement', { account: MINERS[0] ?? '' });
  await setSomeAside(ledger);
  await order('GET /api/v1/ledger/entries');
  const { entries } = answers['GET /api/v1/ledger/entries'] as { entries: { id: string }[] };
  await order('POST /api/v1/ledger/entries/drop', {}, { id: entries[1]?.id ?? '' });
  await ledger.pool.query('ALTER TABLE rig DROP CONSTRAINT no_x');
  await order('POST /api/v1/ledger/entries/retry', {}, {});
  const id = randomUUID();
  await renewLogs(ledger.pool, [id], 'attic.example, /var/lib/stratum-bridge');
  await ledger.pool.query("UPDATE log SET heard_at = heard_at - interval '1 day'");
  await order('POST /api/v1/ledger/logs/{id}/end', { id }, { note: 'its disk burnt' });
  const [found = '', foreign = ''] = await unclaimed(ledger);
  const claim = { account: MINERS[0] ?? '', note: 'its bridge burnt' };
  await order('POST /api/v1/blocks/{id}/claim', { id: found }, claim);
  const disown = { note: 'mined with our account by another program' };
  await order('POST /api/v1/blocks/{id}/disown', { id: foreign }, disown);
  await order('GET /api/v1/payouts/{id}/lines', { id: '1' });
  await payOnChain(ledger.pool, order);
  return answers;
}

/** Two rigs whose names the database is told to refuse. */
async function setSomeAside(ledger: Ledger): Promise<void> {
  await ledger.pool.query("ALTER TABLE rig ADD CONSTRAINT no_x CHECK (name NOT LIKE 'x%')");
  const shares = ['x1', 'x2'].map((rig) => makeShare({ account: MINERS[0] ?? '', rig }));
  await ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
}

/** Two blocks that pay the pool, and that no bridge has named. */
async function unclaimed(ledger: Ledger): Promise<string[]> {
  for (const height of [4211, 4212])
    await recordSolution(ledger, makeSolution({ foundAtMs: Date.now() }, { height }), 'received', '');
  const { rows } = await ledger.pool.query<{ id: string }>(
    "UPDATE block SET state = 'unclaimed', receiver = $1, coinbase = 2.3 WHERE state IS NOT NULL RETURNING id",
    [POOL],
  );
  return rows.map(({ id }) => id);
}

type GiveOrder = (name: string, parts?: Record<string, string>, body?: object) => Promise<void>;

/** Two payouts that wait for approval, and a line of a third whose transaction no block can tell of any more. */
async function payOnChain(pool: pg.Pool, order: GiveOrder): Promise<void> {
  const note = 'looked at by two';
  await pool.query("INSERT INTO chain (id, network, head_height) VALUES (3, 'development', 4211)");
  const role = await payerBooks(pool).take({
    ...{ place: 'attic.example, /var/lib/stratum-bridge', account: POOL, validityMicros: 900_000_000n },
    ...{ seenMicros: 0n, isNewLedger: true, warning: '' },
  });
  for (const account of MINERS) {
    await giveMoney(pool, account, coins('4.5'));
    const accountId = (await accountIds(pool, [account])).get(account) ?? 0;
    const lines = [{ accountId, account, chainId: 3, amount: coins('4.5') }];
    const approvals = { approvals: 1, approvalWhy: 'payouts.mode is approve', waitingWhy: '' };
    await role?.plan({ minimum: coins('1'), lines, ...approvals });
  }
  const { rows } = await pool.query<{ name: string; hash: string }>(
    'SELECT name, hash FROM payout WHERE hash IS NOT NULL ORDER BY id',
  );
  const [first = '', second = '', third = ''] = rows.map(({ name }) => name);
  await order('POST /api/v1/payouts/{id}/reject', { id: first }, { note });
  await order('POST /api/v1/payouts/{id}/approve', { id: second }, { hash: rows[1]?.hash });
  await order('POST /api/v1/payouts/{id}/approve', { id: third }, { hash: rows[2]?.hash });
  const { rows: lines } = await pool.query<{ id: string }>(
    "INSERT INTO chain_transaction (line_id, attempt, request_key, chain_id, amount, cmd, until_micros, gas, by_hand) SELECT l.id, 1, $1, 3, l.amount, '', extract(epoch FROM now())::bigint * 1000000, 0.00001, true FROM payout_line l JOIN payout p ON p.id = l.payout_id WHERE p.name = $2 RETURNING line_id AS id",
    ['vKx2TqEpA8kGYZIpWhkQGPZDkAjXyFmbbJIS9tqXPSN', third],
  );
  await order('POST /api/v1/ledger/payer/pause', {}, { note });
  await order('GET /api/v1/ledger/payer');
  await order('GET /api/v1/ledger/transactions');
  await order('POST /api/v1/ledger/payer/resume', {}, { note });
  await order(
    'POST /api/v1/ledger/lines/{line}/settle',
    { line: lines[0]?.id ?? '' },
    { notPaid: true, note },
  );
  await order('POST /api/v1/accounts/{account}/hold', { account: MINERS[0] ?? '' }, { note });
  await order('POST /api/v1/accounts/allow', {}, { account: MINERS[0] ?? '', note });
  await order('POST /api/v1/ledger/payer/ask');
  await order('POST /api/v1/ledger/payer/rebind', {}, { to: MINERS[1] ?? '', note });
}

/** Of three, one is sent and the others are prepared. */
async function payOne(pool: pg.Pool): Promise<void> {
  for (const miner of MINERS) await giveMoney(pool, miner, coins('4.5'));
  const payout = await preparePayout(pool, { minimum: coins('1'), by: 'admin token' });
  const requestKey = '8VeHS0DJjYzTmVkMcVPd9sHKPHtBcbqPKxN1r1E3r7Q';
  await markPayout(pool, payout?.name ?? '', { outcome: 'sent', accounts: MINERS.slice(0, 1), requestKey });
}
