/** A bridge that follows and pays, and ends itself by SIGKILL before or after one commit or effect. Argument: {@link PayingStart} as JSON. */
import pg from 'pg';
import { SILENT } from '../../../src/core/names/log.js';
import { startFollowing } from '../../../src/ledger/chains/following.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { SQL } from '../../../src/ledger/payer/transactions.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { payerReading } from '../../../src/payouts/payer/facts.js';
import { PayerNodes } from '../../../src/payouts/payer/nodes.js';
import { startPayer } from '../../../src/payouts/payer/payer.js';
import { openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import { sightOfChains } from '../../../src/upstream/chains-in-sight.js';
import { goByItsTime } from '../books-model/ledger-time.js';
import { DEPTH, rulesFor, TERMS } from './payer-terms.js';

/** The statement by which the transaction of the database is known that commits it. */
const COMMITS = {
  planned: SQL.describe,
  built: SQL.build,
  asked: SQL.asking,
  signed: SQL.sign,
  sending: SQL.sending,
  found: SQL.end,
};
const EFFECTS = ['the signer signs', 'the node is sent it'] as const;

export type Step = keyof typeof COMMITS | (typeof EFFECTS)[number];

export interface PayingStart {
  readonly connectionString: string;
  readonly nodeUrl: string;
  readonly keyFile: string;
  readonly aheadMs: number;
  readonly step: Step;
  readonly when: 'before' | 'after';
}

const start = JSON.parse(process.argv[2] ?? '') as PayingStart;

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it is dead');
};

async function around<T>(step: Step, act: () => Promise<T>): Promise<T> {
  if (start.step !== step) return act();
  if (start.when === 'before') die();
  await act();
  return die();
}

const committing = new Set<unknown>();
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
  const [first] = given as [string | pg.QueryConfig];
  const text = typeof first === 'string' ? first : first.text;
  for (const [step, statement] of Object.entries(COMMITS))
    if (step === start.step && text === statement.text) committing.add(this);
  const ask = () => (query as (...all: unknown[]) => Promise<unknown>).apply(this, given);
  return text === 'COMMIT' && committing.has(this) ? around(start.step, ask) : ask();
} as typeof query;

class Nodes extends PayerNodes {
  override send(...given: Parameters<PayerNodes['send']>): ReturnType<PayerNodes['send']> {
    return around('the node is sent it', () => super.send(...given));
  }
}

const ledger = await openLedger({ connectionString: start.connectionString, log: SILENT });
await goByItsTime(ledger.pool);
await writeFirstRules(ledger.pool, rulesFor(1), 'a test');
const client = await NodeClient.connect(start.nodeUrl);
const clients = () => new Map([['node', client]]);
startFollowing({
  ...{ payerReading, pool: ledger.pool, log: SILENT, intervalMs: 40 },
  see: sightOfChains({ clients, count: 1, said: 'auto' }),
  rules: async () => rulesFor(1),
});
const { account } = TERMS.from;
startPayer({
  nodes: new Nodes({
    ...{ account, networkId: TERMS.networkId, clients },
    signal: new AbortController().signal,
  }),
  ...{ terms: TERMS, isNewLedger: true, books: payerBooks(ledger.pool) },
  openSigner: async () => {
    const signer = await openFileSigner({
      ...{ keyFile: start.keyFile, account, networkId: TERMS.networkId },
      gas: BigInt(TERMS.gasLimit) * TERMS.maxGasPrice,
      nowMs: () => Date.now() + start.aheadMs,
    });
    return { ...signer, sign: (...given) => around('the signer signs', () => signer.sign(...given)) };
  },
  belief: () => ({ depth: DEPTH, needed: 1, warning: '' }),
  ...{ log: SILENT, intervalMs: 20 },
});
