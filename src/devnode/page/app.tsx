/** What a developer wants to see of the node: chains, forks, mempool, requests, peers. */
import { Card } from '../../web/page/parts/card.js';
import { ThemeSwitch } from '../../web/page/parts/controls/theme-switch.js';
import { type Column, DataTable } from '../../web/page/parts/data-table.js';
import { Figure } from '../../web/page/parts/figures/figure.js';
import { count } from '../../web/page/words/numbers.js';
import type {
  WatchBlock,
  WatchChain,
  WatchPeer,
  WatchRequest,
  WatchState,
} from '../http/control/watch-state.js';
import { Braid } from './braid.js';
import { type Seen, useNode } from './state.js';

const LINK_WORDS: Record<Seen['link'], string> = { connecting: 'Connecting', live: 'Live', lost: 'Offline' };

export function App() {
  const { state, link } = useNode();
  return (
    <>
      <header class="head">
        <span class="brand">stratum-bridge</span>
        <p class={`link-state is-${link}`} role="status">
          {LINK_WORDS[link]}
        </p>
      </header>
      <main>
        <h1>Development node</h1>
        {state ? <Node state={state} /> : <p class="quiet">Waiting for the answer of the node.</p>}
      </main>
      <footer class="foot">
        <p>This page only reads. Orders go to this port by programs, such as curl.</p>
        <p class="foot-links">
          <a href="/state">The same in JSON</a>
          <ThemeSwitch />
        </p>
      </footer>
    </>
  );
}

function Node({ state }: { state: WatchState }) {
  const beside = state.blocks.filter(({ isOnCut }) => !isOnCut);
  return (
    <>
      <Figures state={state} beside={beside.length} />
      <Card id="braid" title="Chains">
        <Braid state={state} />
      </Card>
      <div class="cards">
        <Card id="heads" title="Heads and mempool">
          <DataTable
            label="Each chain"
            columns={CHAINS}
            rows={state.chains}
            keyOf={({ chainId }) => chainId}
          />
        </Card>
        <div class="column">
          <Card id="beside" title="Blocks beside the cut">
            {beside.length === 0 ? (
              <p class="quiet">None in sight.</p>
            ) : (
              <DataTable
                label="Each block beside the cut"
                className="is-list"
                columns={BESIDE}
                rows={beside}
                keyOf={({ hash }) => hash}
              />
            )}
          </Card>
          <Card id="peers" title="Peers">
            {state.peers.length === 0 ? (
              <p class="quiet">None: --peer names others.</p>
            ) : (
              <DataTable label="Each peer" columns={PEERS} rows={state.peers} keyOf={({ name }) => name} />
            )}
          </Card>
        </div>
      </div>
      <Card id="requests" title="Requests">
        <DataTable
          label="The last requests"
          className="is-list"
          columns={REQUESTS}
          rows={state.requests}
          keyOf={({ number }) => number}
        />
      </Card>
    </>
  );
}

function Figures({ state, beside }: { state: WatchState; beside: number }) {
  const { clock, chains } = state;
  const waiting = chains.reduce((sum, chain) => sum + chain.waiting, 0);
  const open = chains.filter(({ waitsFor }) => waitsFor.length === 0).length;
  return (
    <dl class="figures of-node">
      <Figure name="Height of the cut" value={count(state.height)}>
        {state.network}
      </Figure>
      <Figure name="Chains that can be mined" value={`${open} of ${chains.length}`}>
        the others wait for neighbours
      </Figure>
      <Figure name="Transactions that wait" value={count(waiting)}>
        {beside === 1 ? '1 block beside the cut' : `${beside} blocks beside the cut`}
      </Figure>
      <Figure name="Time of the node" value={timeIn(clock.nowMs)}>
        {clock.frozen ? 'stands but for blocks and orders' : dayIn(clock.nowMs)}
      </Figure>
    </dl>
  );
}

const CHAINS: readonly Column<WatchChain>[] = [
  { title: 'Chain', show: ({ chainId }) => chainId },
  { title: 'Height', look: 'number', show: ({ height }) => count(height) },
  { title: 'Waiting', look: 'number', show: ({ waiting }) => count(waiting) },
  {
    title: 'Next block',
    show: ({ waitsFor }) => (waitsFor.length === 0 ? 'can be mined' : `waits for ${waitsFor.join(', ')}`),
  },
];

const BESIDE: readonly Column<WatchBlock>[] = [
  { title: 'Chain', show: ({ chainId }) => chainId },
  { title: 'Height', look: 'number', show: ({ height }) => count(height) },
  { title: 'Block', look: 'name', show: ({ hash }) => <code>{hash}</code> },
];

const PEERS: readonly Column<WatchPeer>[] = [
  { title: 'Peer', look: 'name', show: ({ name }) => name },
  {
    title: 'Link',
    show: ({ state }) => (
      <span class={`state is-${state}`}>{state === 'wordless' ? 'no answer' : state}</span>
    ),
  },
];

const REQUESTS: readonly Column<WatchRequest>[] = [
  { title: 'Time', show: ({ atMs }) => timeIn(atMs) },
  { title: 'Status', look: 'number', show: ({ status }) => status },
  { title: 'Took', look: 'number', show: ({ tookMs }) => `${tookMs.toFixed(1)}\u00a0ms` },
  {
    title: 'Request',
    show: ({ method, path }) => (
      <code>
        {method} {path}
      </code>
    ),
  },
];

function timeIn(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

function dayIn(ms: number): string {
  return new Date(ms).toLocaleDateString('en-GB', { dateStyle: 'long' });
}
