/** Several nodes as processes: links cut and healed by the control port, and real nodes' way over TLS. */
import { afterEach, describe, expect, it } from 'vitest';
import { askerOf } from '../../conformance/asker.js';
import { rawStream } from '../../conformance/raw.js';
import { newTransaction } from '../../helpers/books/transactions.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { until } from '../../helpers/until.js';
import { ask, mineMany, mineOne } from '../helpers.js';
import { type NodeHere, startEasyHere } from '../process.js';

const open: NodeHere[] = [];
afterEach(() => Promise.all(open.splice(0).map((node) => node[Symbol.asyncDispose]())));

type Address = (port: number) => string[];

/** Nodes that are each other's peers; `own` makes the flags of an address, `peer` those of another's. */
async function startNetwork(
  count: number,
  own: Address,
  peer: Address,
  ...flags: string[]
): Promise<NodeHere[]> {
  const ports = await freePorts(count);
  const nodes = await Promise.all(
    ports.map((port) => {
      const others = ports.filter((other) => other !== port).flatMap(peer);
      return startEasyHere('--graph', 'triangle', ...flags, ...own(port), ...others);
    }),
  );
  open.push(...nodes);
  return nodes;
}

interface CutBody {
  readonly height: number;
  readonly hashes: Readonly<Record<string, { readonly hash: string }>>;
}
const cutOf = async (node: NodeHere): Promise<CutBody> => (await ask(`${node.url}/cut`)).json();

function untilAgreed(nodes: readonly NodeHere[]): Promise<unknown> {
  return until(
    'all have one cut',
    async () =>
      new Set(await Promise.all(nodes.map(async (node) => JSON.stringify(await cutOf(node))))).size === 1,
  );
}

describe('nodes as processes', () => {
  const own: Address = (port) => ['--listen', `127.0.0.1:${port}`, '--control', '127.0.0.1:0'];
  const peer: Address = (port) => ['--peers', `http://127.0.0.1:${port}`];
  const link = (node: NodeHere, connected: boolean, url?: string): Promise<{ status: number }> =>
    ask(`${node.controlUrl}/links`, { method: 'PUT', json: { connected, ...(url ? { url } : {}) } });

  it('the switch cuts the link of a node and heals it: a fork, orphans, then one cut', async () => {
    const [a, b, c] = (await startNetwork(3, own, peer)) as [NodeHere, NodeHere, NodeHere];
    await mineMany(a, 6);
    await untilAgreed([a, b, c]);
    expect((await link(c, false)).status).toBe(200);
    // The other end of a cut link gets no answer either.
    const origin = { headers: { 'x-peer-origin': new URL(a.url).host } };
    expect((await ask(`${c.url}/cut`, origin)).status).toBe(503);
    await mineMany(a, 9);
    await mineMany(c, 5);
    await untilAgreed([a, b]);
    const [heavier, lighter] = [await cutOf(a), await cutOf(c)];
    expect([heavier.height, lighter.height]).toEqual([15, 11]);
    using stream = await rawStream(`${c.url}/header/updates`);
    await link(c, true);
    await untilAgreed([a, b, c]);
    // What came from the other side is told as it comes.
    await stream.until('a block of the heavier side', (text) =>
      text.includes(heavier.hashes['0']?.hash ?? '!'),
    );
    const agreed = await cutOf(c);
    expect(agreed.height).toBeGreaterThanOrEqual(15);
    const known = (await Promise.all([0, 1, 2].map((chain) => askerOf(() => c.url).headers(chain)))).flat();
    const kept = new Set(Object.values(agreed.hashes).map(({ hash }) => hash));
    const orphans = Object.values(lighter.hashes).filter(({ hash }) => !kept.has(hash));
    expect(orphans.length).toBeGreaterThan(0);
    for (const { hash } of orphans) expect(known.map((header) => header.hash)).toContain(hash);
  });

  it('a link is cut by its URL alone; DELETE /faults heals it', async () => {
    const [a, b, c] = (await startNetwork(3, own, peer)) as [NodeHere, NodeHere, NodeHere];
    for (const [from, to] of [
      [c, a],
      [c, b],
    ] as const) {
      expect((await link(from, false, to.rootUrl)).status).toBe(200);
    }
    await mineOne(a, 0);
    await untilAgreed([a, b]);
    expect((await cutOf(c)).height).toBe(0);
    await ask(`${c.controlUrl}/faults`, { method: 'DELETE' });
    await untilAgreed([a, b, c]);
  });
});

describe('nodes of profile chainweb', () => {
  it('exchange blocks and transactions over their peer ports, with TLS, small pages and single payloads', async () => {
    const own: Address = (port) => ['--profile', 'chainweb', '--peer-listen', `127.0.0.1:${port}`];
    const peer: Address = (port) => ['--peers', `https://127.0.0.1:${port}`];
    const [a, b] = (await startNetwork(2, own, peer, '--payload-refresh', '1ms')) as [NodeHere, NodeHere];
    // More than a page of headers on each chain.
    await mineMany(a, 75);
    await untilAgreed([a, b]);
    expect((await cutOf(b)).height).toBe(75);
    const { text, key } = newTransaction('travels');
    await ask(`${a.peerUrl}/chain/1/mempool/insert`, { method: 'PUT', json: [text] });
    const isAt = async (node: NodeHere): Promise<boolean> =>
      (await ask(`${node.peerUrl}/chain/1/mempool/member`, { method: 'POST', json: [key] })).text ===
      '[true]';
    await until('it is there', async () => isAt(b));
    await until('it is mined', async () => {
      await mineOne(b);
      return !(await isAt(b));
    });
    await until('the other knows', async () => !(await isAt(a)));
    await untilAgreed([a, b]);
  });
});
