/** Nodes as processes, killed while they have a command. Numbers are those of `payouts.md`, 8. */
import { afterEach, describe, expect, it } from 'vitest';
import { NodeClient } from '../../../../src/node-client/client.js';
import type { Eyes } from '../../../../src/payouts/evidence/eyes.js';
import { openEyes } from '../../../../src/payouts/evidence/open-eyes.js';
import { ask } from '../../../devnode/helpers.js';
import { type NodeProcess, startEasyProcess } from '../../../devnode/process.js';
import { temporaryFolder } from '../../../helpers/folder.js';
import { DEPTH, OnePayment } from '../../../helpers/payouts/one-payment.js';
import { NETWORK, PAYER } from '../../../helpers/payouts/world.js';
import { pactApi } from '../../../helpers/processes/commands.js';
import { keyPair } from '../../../helpers/processes/key-pair.js';
import { freePorts } from '../../../helpers/processes/ports.js';
import { until } from '../../../helpers/until.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Goes when the nodes have ended. */
async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  closing.push(async () => await folder[Symbol.asyncDispose]());
  return folder.path;
}

interface Running {
  readonly node: NodeProcess;
  readonly port: number;
  readonly again: () => Promise<Running>;
}

async function start(port: number, peer: number, folder: string): Promise<Running> {
  const flags = [
    '--listen',
    `127.0.0.1:${port}`,
    '--peers',
    `http://127.0.0.1:${peer}`,
    '--data-dir',
    folder,
  ];
  const node = await startEasyProcess(
    ...flags,
    ...['--graph', 'triangle', '--control', '127.0.0.1:0', '--accounts', `${PAYER.account}=100`],
  );
  closing.push(async () => await node[Symbol.asyncDispose]());
  return { node, port, again: () => start(port, peer, folder) };
}

async function mine({ node }: Running, count: number): Promise<void> {
  const json = { chains: [0], count, withNeighbours: true };
  const { status, text } = await ask(`${node.controlUrl}/mine`, { method: 'POST', json });
  if (status !== 200) throw new Error(text);
}

async function eyesOn(nodes: readonly Running[]): Promise<Eyes> {
  const named = await Promise.all(
    nodes.map(async ({ node }, i) => {
      const client = await NodeClient.connect(node.url, 10_000, { verify: { proofOfWork: true } });
      closing.push(() => client.close());
      return { name: `node ${i}`, client: () => client };
    }),
  );
  const nowMs = (): number => Date.now();
  return openEyes({ nodes: named, account: PAYER.account, networkId: NETWORK, depth: DEPTH, nowMs });
}

describe('nodes that are killed', () => {
  it('18: all of them, after they took a command: it waits, is sent again, and is paid once', async () => {
    const [one = 0, other = 0] = await freePorts(2);
    const [first, second] = [
      await start(one, other, await newFolder()),
      await start(other, one, await newFolder()),
    ];
    await mine(first, 3);
    const eyes = await eyesOn([first, second]);
    const agree = (): Promise<true> =>
      until('both agree', async () => {
        const { nodes, head } = await eyes.look(0, 0);
        const heads = nodes.map(
          ({ standing, head: own }) => standing === 'agrees' && own?.hash === head?.hash,
        );
        return heads.every(Boolean);
      });
    await agree();
    const paid = await OnePayment.make(eyes);
    expect((await paid.send()).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    for (const { node } of [first, second]) {
      node.program.kill('SIGKILL');
      await node.program.ended;
    }
    expect(await paid.kind()).toBe('waiting');
    expect(paid.sight.troubles).toMatchObject([{ kind: 'unreachable' }]);
    const [back] = [await first.again(), await second.again()];
    await mine(back, 2);
    await agree();
    // What waited was in memory alone.
    expect(await paid.kind()).toBe('waiting');
    await paid.send();
    await mine(back, 1 + DEPTH);
    await agree();
    expect(await paid.kind()).toBe('confirmed');
    expect(await pactApi(back.node).balance(keyPair(9).account)).toBe('1.5');
  });
});
