/** Examples for the document of the API: payments on chain, in real books with a real web, of a chain that is told. */

import { createHash, randomUUID } from 'node:crypto';
import { readCommand } from '../../../src/assembly/books/command-reader.js';
import { setAsideOf } from '../../../src/assembly/books/set-aside.js';
import type { PayerSeat } from '../../../src/bridge/payouts/payer-books.js';
import { generateMinerKeys } from '../../../src/commands/keygen/keys.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { renewLogs } from '../../../src/ledger/recording/producers.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { OPERATOR_ID, post } from '../../../src/ledger/settlement/posting.js';
import { REWARD_RULES } from '../../../src/ledger/settlement/reward-rules.js';
import { payerBooks } from '../../../src/ledger/transactions/payer-books.js';
import { bookOrders } from '../../../src/ledger/watch/orders.js';
import { openBooksWatch } from '../../../src/ledger/watch/watch.js';
import { payerOfKey } from '../../../src/payouts/command/accounts.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';
import { buildTransfer } from '../../../src/payouts/command/transfer.js';
import { contentHash } from '../../../src/payouts/plan/content-hash.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { startTestPostgres } from '../books/postgres.js';
import { recordSolution } from '../books/record-solution.js';
import { entryOf, makeShare } from '../rigs/shares.js';
import { makeSolution } from '../rigs/solutions.js';
import { idleBridge } from '../web/idle-bridge.js';
import { ADMIN, RULES } from '../web/operators.js';
import { signText } from './owner-signature.js';

type Answers = Record<string, unknown>;

const PAYER = payerOfKey('ab'.repeat(32));
const MINERS = ['1f', '2e', '3d'].map((two) => `k:${two.repeat(32)}`);
const coins = (text: string): bigint => parseAmount(text) ?? 0n;

/** One batch that is paid in part, and one that waits for approval. */
export async function answersOfPayer(): Promise<Answers> {
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
    payouts: bookOrders({
      ...{ pool: ledger.pool, check: readCommand, minimum: coins('1') },
      ...{ isOnChain: true, chains: () => [0, 1, 2, 3] },
    }),
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
  const books = payerBooks({ pool: ledger.pool, gasPaidBy: 'operator' });
  const seat = await books.takeSeat('payer.example, /var/lib/stratum-bridge');
  if (!seat) throw new Error('nobody else has these books');
  await payOne(ledger, seat);
  const [, hash] = await prepare(ledger, seat, '2.75', 1);
  const note = { note: 'I compare balances with the nodes first' };
  await order('POST /api/v1/payouts/{id}/approve', { id: '2' }, { hash });
  await order('POST /api/v1/payouts/payer/pause', {}, note);
  await order('POST /api/v1/payouts/{id}/reject', { id: '2' }, { note: 'the fee was wrong' });
  const held = { account: MINERS[0] ?? '', note: 'asked us to wait', until: '2126-12-01T00:00:00.000Z' };
  await order('POST /api/v1/payouts/payer/hold', {}, held);
  await order('GET /api/v1/payouts/payer');
  await order('POST /api/v1/payouts/payer/allow', {}, { account: held.account, note: 'they are back' });
  await order('POST /api/v1/payouts/payer/resume', {}, { note: 'they agree' });
  const { account, secretKey } = generateMinerKeys();
  await accountIds(ledger.pool, [account]);
  const wish = JSON.stringify({ account, minimum: '5', chain: 3, time: new Date().toISOString() });
  const signed = { wish, signature: signText(secretKey, wish) };
  await order('POST /api/v1/accounts/{account}/wish', { account }, signed);
  await order('PUT /api/v1/accounts/{account}/terms', { account }, { fee: '0.5%', note: 'ten rigs' });
  await order('GET /api/v1/ledger/terms');
  await order('GET /api/v1/accounts/{account}/statement', { account: MINERS[0] ?? '' });
  await setSomeAside(ledger);
  await order('GET /api/v1/ledger/queue');
  const { entries } = answers['GET /api/v1/ledger/queue'] as { entries: { id: string }[] };
  await order('POST /api/v1/ledger/queue/drop', {}, { id: entries[1]?.id ?? '' });
  await ledger.pool.query('ALTER TABLE rig DROP CONSTRAINT no_x');
  await order('POST /api/v1/ledger/queue/retry', {}, {});
  const id = randomUUID();
  await renewLogs(ledger.pool, [id], 'attic.example, /var/lib/stratum-bridge');
  await ledger.pool.query("UPDATE producer SET heard_at = heard_at - interval '1 day'");
  await order('POST /api/v1/ledger/bridges/{id}/end', { id });
  const [found = '', foreign = ''] = await unclaimed(ledger);
  const claim = { account: MINERS[0] ?? '', note: 'its bridge burnt' };
  await order('POST /api/v1/blocks/{id}/claim', { id: found }, claim);
  const disown = { note: 'mined with our account by another program' };
  await order('POST /api/v1/blocks/{id}/disown', { id: foreign }, disown);
  await order('GET /api/v1/payouts/{id}/lines', { id: '1' });
  await order('GET /api/v1/payments/{id}/evidence', { id: '1' });
  await seat.close();
  return answers;
}

/** Two rigs whose names the database is told to refuse. */
async function setSomeAside(ledger: Ledger): Promise<void> {
  await ledger.pool.query("ALTER TABLE rig ADD CONSTRAINT no_x CHECK (name NOT LIKE 'x%')");
  const shares = ['x1', 'x2'].map((rig) => makeShare({ account: MINERS[0] ?? '', rig }));
  await ledger.recordEntry(entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] }));
}

/** Two blocks that pay the pool, and that no bridge has named. */
async function unclaimed(ledger: Ledger): Promise<string[]> {
  await writeFirstRules(ledger.pool, { ...REWARD_RULES, poolAccounts: [PAYER.account] }, 'bridge 0');
  for (const height of [4211, 4212])
    await recordSolution(ledger, makeSolution({ foundAtMs: Date.now() }, { height }), 'received', '');
  const { rows } = await ledger.pool.query<{ id: string }>(
    "UPDATE block SET state = 'unclaimed', receiver = $1, coinbase = 2.3 RETURNING solution_id AS id",
    [PAYER.account],
  );
  return rows.map(({ id }) => id);
}

async function prepare(
  { pool }: Ledger,
  seat: PayerSeat,
  amount: string,
  approvalsNeeded: number,
): Promise<[name: string, contentHash: string]> {
  await inTransaction(pool, async (client) => {
    const ids = await accountIds(client, MINERS);
    for (const accountId of ids.values())
      await post(client, {
        cause: 'given',
        lines: [
          { accountId, book: 'balance', amount: coins(amount) },
          { accountId: OPERATOR_ID, book: 'rewards', amount: -coins(amount) },
        ],
      });
  });
  const lines = MINERS.map((account) => ({ account, part: 0, chainId: 0, amount: coins(amount) }));
  const approvalFor = approvalsNeeded > 0 ? 'payouts.mode is approve' : undefined;
  const hash = contentHash(lines);
  const batch = { lines, minimum: coins('1'), contentHash: hash, approvalFor, approvalsNeeded };
  return [(await seat.prepare({ ...batch, by: 'schedule' })) ?? '', hash];
}

/** Of the first batch: one is paid, one is in a block, and one is on its way. */
async function payOne(ledger: Ledger, seat: PayerSeat): Promise<void> {
  await seat.bind(PAYER.account, 'development');
  await prepare(ledger, seat, '4.5', 0);
  const { ledgerId } = await seat.state();
  const facts = { creationTimeS: 1_790_000_000, ttlS: 900, gasLimit: 1000, gasPrice: coins('0.00000001') };
  const hashOf = (height: number): string => createHash('sha256').update(String(height)).digest('base64url');
  const birth = { height: 4211, hash: hashOf(4211) };
  await seat.build(
    (await seat.open(9)).map(({ id: paymentId, attempt, chainId, account: to, amount }) => {
      const nonce = nonceOf({ ledgerId, paymentId, attempt });
      const made = buildTransfer({
        networkId: 'development',
        chainId,
        from: PAYER,
        to,
        amount,
        nonce,
        ...facts,
      });
      return { ...facts, ...made, paymentId, attempt, chainId, birth };
    }),
  );
  const ids = (await seat.live()).map(({ id }) => id);
  await seat.asking(ids);
  await seat.keepSignatures(ids.map((id) => ({ id, sigs: ['00'.repeat(64)] })));
  await seat.sending(ids);
  const place = { height: 4213, hash: hashOf(4213) };
  const evidence = { chainId: 0, nodes: ['http://node-a.example:1848', 'http://node-b.example:1848'] };
  const [paid = '', included = ''] = ids;
  await seat.found([
    { id: paid, now: 'included', place, evidence },
    { id: included, now: 'included', place, evidence },
    { id: paid, now: 'confirmed', place, gasPaid: coins('0.00000347'), evidence },
  ]);
  const head = { height: 4219, timeS: facts.creationTimeS + 240 };
  const sees = (at: typeof place, balance: string, credits: string, debits: string): Promise<void> =>
    seat.sawChains([
      {
        ...{ chainId: 0, head, trouble: '' },
        read: {
          ...{ chainId: 0, read: at },
          ...{ balance: coins(balance), credits: coins(credits), debits: coins(debits) },
        },
      },
    ]);
  await sees(birth, '30.3', '0', '0');
  await sees(place, '21.3', '0', '9');
  await seat.ran({ isRun: true, nextAtMs: 1_795_500_000_000, whyNot: '' });
}
