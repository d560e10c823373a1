/** The payer of this bridge: of all bridges on the ledger one pays, and the others wait for the role. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PayerRules } from '../../bridge/payouts/payer-books.js';
import { isForDevelopment } from '../../core/work/development.js';
import type { Ledger } from '../../ledger/ledger.js';
import { payerBooks } from '../../ledger/payer/role.js';
import { depthIn, nodesIn } from '../../ledger/settlement/reward-rules.js';
import { type Belief, PayerNodes } from '../../payouts/payer/nodes.js';
import { type RunningPayer, startPayer } from '../../payouts/payer/payer.js';
import type { Upstream } from '../../upstream/upstream.js';
import { concerning } from '../failures.js';
import type { Site } from '../site.js';
import { distinctNodes } from './distinct-nodes.js';
import { mayPay, payerTerms, payingAccount } from './payer-terms.js';
import { openSigner, passphraseAtStart } from './signers.js';

/** Of the network's name, which nodes say. */
const ASK_AGAIN_MS = 1_000;

/** Starts it where the settings say who signs, or whose signatures are brought. What is wrong with them is told at once; nodes may come later. */
export async function openPayer(
  site: Site,
  ledger: Ledger,
  upstream: Pick<Upstream, 'clients'>,
): Promise<void> {
  const { config, log, open } = site;
  if (!mayPay(config)) return;
  const from = await concerning('payouts.key', () => payingAccount(config));
  const passphrase = await concerning('payouts.passphrase', () => passphraseAtStart(config, site.machine));
  const closing = new AbortController();
  const { signal } = closing;
  const start = async (): Promise<RunningPayer | undefined> => {
    const networkId = await networkOf(site, upstream, signal);
    if (networkId === undefined) return undefined;
    const terms = payerTerms(site, networkId, from);
    const isPublic = !isForDevelopment(networkId, config['node.development']);
    const given = await distinctNodes(config['node.urls']);
    return startPayer({
      ...{ terms, log, isNewLedger: ledger.areNew, books: payerBooks(ledger.pool) },
      belief: (rules) => beliefBy(rules, { isPublic, given }),
      nodes: new PayerNodes({
        ...{ signal, networkId, account: from.account },
        clients: () => upstream.clients(),
      }),
      openSigner: () => openSigner(config, terms, passphrase),
    });
  };
  const running = start();
  open.add('payer', async () => {
    closing.abort();
    await (await running)?.close();
  });
}

/** How deep, and by the word of how many nodes: one that lies could have coins paid that are not there, or paid again. */
function beliefBy(
  rules: PayerRules,
  { isPublic, given }: { readonly isPublic: boolean; readonly given: number },
): Belief & { readonly warning: string } {
  const needed = nodesIn(rules, { isForDevelopment: !isPublic, given });
  const warning =
    isPublic && Math.min(given, needed) < 2
      ? 'payments go by the word of one node: name two in node.urls that are not the same (and start this bridge again), and let chain.nodes be 2 or more (`ledger rules set`)'
      : '';
  return { depth: depthIn(rules, !isPublic), needed, warning };
}

/** As it is set, or as the first node says that answers. `undefined` when it ends before that. */
async function networkOf(
  { config }: Site,
  upstream: Pick<Upstream, 'clients'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const [client] = upstream.clients().values();
    const networkId = config['node.network'] || client?.address.network;
    if (networkId) return networkId;
    await pause(ASK_AGAIN_MS, undefined, { signal }).catch(() => {}); // ended, which the loop sees
  }
  return undefined;
}
