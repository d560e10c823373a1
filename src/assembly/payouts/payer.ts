/** The payer of this bridge: of all bridges on the books one pays, and the others wait for its seat. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../bridge/ports.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import { isForDevelopment } from '../../core/work/development.js';
import { lookAgain } from '../../ledger/blocks/look-again.js';
import { payerBooks } from '../../ledger/transactions/payer-books.js';
import type { NodeClient } from '../../node-client/client.js';
import { openEyes } from '../../payouts/evidence/open-eyes.js';
import { type RunningPayer, startPayer } from '../../payouts/payer/payer.js';
import type { PayerTerms } from '../../payouts/payer/terms.js';
import { nextAfter } from '../../payouts/plan/schedule.js';
import { createChainReader } from '../../upstream/chain-reader.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from '../books/books.js';
import { rulesOf } from '../books/ledger.js';
import { WALL_CLOCK } from '../clocks.js';
import { concerning } from '../failures.js';
import type { Site } from '../site.js';
import { payerTerms, payingAccount, payoutSchedule } from './payer-terms.js';
import { openSigner, passphraseAtStart } from './signers.js';

type Nodes = Pick<Upstream, 'clients'>;

/** Of the network's name, which nodes say. */
const ASK_AGAIN_MS = 1_000;

/** Starts it where the settings ask for one. What is wrong with them is told at once; nodes may come later. */
export async function openPayer(
  site: Site,
  books: Pick<Books, 'ledger'>,
  upstream: Nodes,
  clock: Clock = WALL_CLOCK,
): Promise<void> {
  const { config, log, open } = site;
  if (config['payouts.mode'] === 'manual') return;
  const schedule = payoutSchedule(config);
  const from = await concerning('payouts.key', () => payingAccount(config));
  const passphrase = await concerning('payouts.passphrase', () => passphraseAtStart(config));
  const closing = new AbortController();
  const running = networkOf(upstream, config['node.network'], closing.signal).then(
    (networkId): RunningPayer | undefined => {
      if (networkId === undefined) return undefined;
      const terms = payerTerms(config, networkId, from);
      log.info(
        { account: from.account, mode: terms.mode, signs: whoSigns(config) },
        'payments on chain are made by this bridge, or by another on its books',
      );
      return startPayer({
        books: booksOf(site, books, upstream),
        eyes: eyesOf(site, upstream, terms, clock),
        chainIds: chainIdsOf(upstream),
        openSigner: () => openSigner(config, terms, passphrase),
        nextAfter: (ms) => nextAfter(schedule, ms),
        ...{ terms, log },
      });
    },
  );
  open.add('payer', async () => {
    closing.abort();
    await (await running)?.close();
  });
}

/** For the log: who has no key here waits for somebody who knows of it. */
function whoSigns(config: Site['config']): string {
  if (config['payouts.signer.command'].length > 0) return 'payouts.signer.command';
  return config['payouts.key'] === '' ? 'others, by `ledger payout export` and `import`' : 'payouts.key';
}

/** As set, or as the first node says that answers; `undefined` when it ends before. */
async function networkOf(upstream: Nodes, set: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const [client] = upstream.clients().values();
    const network = set || client?.address.network;
    if (network) return network;
    await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

function booksOf(site: Site, { ledger }: Pick<Books, 'ledger'>, upstream: Nodes) {
  const { config, log } = site;
  const count = config['node.urls'].length;
  const chain = createChainReader(() => upstream.clients(), count, config['node.development']);
  const { pool } = ledger;
  const rules = rulesOf(ledger, site);
  const look = () => lookAgain({ pool, chain, rules, log }, 'paying');
  return payerBooks({ pool, gasPaidBy: config['payouts.gasPaidBy'], look });
}

function eyesOf({ config }: Site, upstream: Nodes, terms: PayerTerms, clock: Clock) {
  const names = config['node.urls'].map(nodeNameOf);
  return openEyes({
    nodes: names.map((name) => ({ name, client: () => upstream.clients().get(name) })),
    account: terms.from.account,
    networkId: terms.networkId,
    depth: terms.depth,
    isWorked: !isForDevelopment(terms.networkId, config['node.development']),
    nowMs: () => clock.nowMs(),
  });
}

/** A network may grow: they are asked for again now and then. */
const CHAINS_KEPT_MS = 600_000;

function chainIdsOf(upstream: Nodes): () => Promise<readonly number[]> {
  let known: { readonly ids: readonly number[]; readonly atMs: number } | undefined;
  return async () => {
    if (known && performance.now() - known.atMs < CHAINS_KEPT_MS) return known.ids;
    known = { ids: await firstCut(upstream.clients().values()), atMs: performance.now() };
    return known.ids;
  };
}

async function firstCut(clients: Iterable<NodeClient>): Promise<readonly number[]> {
  const failures: unknown[] = [];
  for (const client of clients) {
    try {
      return Object.keys((await client.maintenance.cut()).hashes).map(Number);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new Error('no node says which chains there are', { cause: failures[0] });
}
