/** The payer of this bridge: of all bridges on the books one pays, and the others wait for its seat. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../bridge/ports.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import { isForDevelopment } from '../../core/work/development.js';
import type { RulesSource } from '../../ledger/rules/bridge-rules.js';
import { payerBooks } from '../../ledger/transactions/payer-books.js';
import type { NodeClient } from '../../node-client/client.js';
import type { Payer } from '../../payouts/command/accounts.js';
import { openEyes } from '../../payouts/evidence/open-eyes.js';
import { type RunningPayer, startPayer } from '../../payouts/payer/payer.js';
import type { PayerTerms } from '../../payouts/payer/terms.js';
import { nextAfter } from '../../payouts/plan/schedule.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from '../books/books.js';
import { rulesOf } from '../books/ledger.js';
import { WALL_CLOCK } from '../clocks.js';
import { concerning } from '../failures.js';
import type { Site } from '../site.js';
import { beliefBy, payerTerms, payingAccount, payoutSchedule } from './payer-terms.js';
import { openSigner, passphraseAtStart } from './signers.js';

type Nodes = Pick<Upstream, 'clients'>;

/** Of the network's name, which nodes say, and of the ledger's rules. */
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
  const rules = rulesOf(books.ledger, site);
  const running = termsOf(site, rules, upstream, from, closing.signal).then(
    (terms): RunningPayer | undefined => {
      if (terms === undefined) return undefined;
      log.info(
        { account: from.account, mode: terms.mode, signs: whoSigns(config) },
        'payments on chain are made by this bridge, or by another on its books',
      );
      return startPayer({
        books: payerBooks({ pool: books.ledger.pool, gasPaidBy: config['payouts.gasPaidBy'] }),
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

/**
 * The network is as set, or as the first node says that answers. The rules are those of now: others hold from the next start on.
 * `undefined` when it ends before both are known.
 */
async function termsOf(
  { config, log }: Site,
  rules: RulesSource,
  upstream: Nodes,
  from: Payer,
  signal: AbortSignal,
): Promise<PayerTerms | undefined> {
  while (!signal.aborted) {
    const [client] = upstream.clients().values();
    const networkId = config['node.network'] || client?.address.network;
    try {
      if (networkId) return payerTerms(config, beliefBy(await rules(), config, networkId), networkId, from);
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'payouts wait for the rules of the ledger');
    }
    await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
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
