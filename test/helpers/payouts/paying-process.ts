/** A bridge that follows and pays; where it is told so, it ends itself by SIGKILL before or after one commit or effect. Argument: {@link PayingStart} as JSON. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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
import type { PayerTerms } from '../../../src/payouts/payer/turn.js';
import { commandSigner } from '../../../src/payouts/signer/command-signer.js';
import { openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import type { Signer } from '../../../src/payouts/signer/signer.js';
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
  readonly nodeUrls: readonly string[];
  /** Of the nodes, whose word is. */
  readonly needed: number;
  readonly keyFile: string;
  /** Who signs is a program that is started for each question. */
  readonly bySignerProgram?: boolean;
  readonly isNewLedger: boolean;
  readonly terms?: Partial<Pick<PayerTerms, 'place' | 'ttlS'>>;
  readonly aheadMs: number;
  /** Between two turns. */
  readonly everyMs: number;
  readonly step?: Step;
  readonly when?: 'before' | 'after';
}

const SIGNER = fileURLToPath(new URL('../../../../config/signer.js', import.meta.url));
const WITHOUT_LIMITS = ['--line', '1000000', '--day', '1000000'];

const start = JSON.parse(process.argv[2] ?? '') as PayingStart;
const terms: PayerTerms = { ...TERMS, ...start.terms };

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
  return text === 'COMMIT' && start.step && committing.has(this) ? around(start.step, ask) : ask();
} as typeof query;

class Nodes extends PayerNodes {
  override send(...given: Parameters<PayerNodes['send']>): ReturnType<PayerNodes['send']> {
    return around('the node is sent it', () => super.send(...given));
  }
}

const ledger = await openLedger({ connectionString: start.connectionString, log: SILENT });
await goByItsTime(ledger.pool);
const rules = rulesFor(start.needed);
await writeFirstRules(ledger.pool, rules, 'a test');
const clients = new Map<string, NodeClient>();
for (const url of start.nodeUrls) void connectTo(url);
startFollowing({
  ...{ payerReading, pool: ledger.pool, log: SILENT, intervalMs: 2 * start.everyMs },
  see: sightOfChains({ clients: () => clients, count: start.nodeUrls.length, said: 'auto' }),
  rules: async () => rules,
});
const { from, networkId } = terms;
const { account } = from;
const gas = BigInt(terms.gasLimit) * terms.maxGasPrice;
startPayer({
  nodes: new Nodes({
    ...{ account, networkId, clients: () => clients },
    signal: new AbortController().signal,
  }),
  ...{ terms, isNewLedger: start.isNewLedger, books: payerBooks(ledger.pool) },
  openSigner: async () => {
    const signer = await openSigner();
    return { ...signer, sign: (...given) => around('the signer signs', () => signer.sign(...given)) };
  },
  belief: () => ({ depth: DEPTH, needed: start.needed, warning: '' }),
  ...{ log: SILENT, intervalMs: start.everyMs },
});

async function connectTo(url: string): Promise<void> {
  for (;;) {
    const client = await NodeClient.connect({ nodes: url }).catch(() => undefined);
    if (client) return void clients.set(url, client);
    await pause(100);
  }
}

async function openSigner(): Promise<Signer> {
  const { keyFile, aheadMs, bySignerProgram } = start;
  if (!bySignerProgram)
    return openFileSigner({ keyFile, account, networkId, gas, nowMs: () => Date.now() + aheadMs });
  const command = [process.execPath, SIGNER, '--key', keyFile, '--network', networkId, ...WITHOUT_LIMITS];
  return commandSigner({ command, publicKeys: from.publicKeys, account, networkId, gas });
}
