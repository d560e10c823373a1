import { describe, expect, it } from 'vitest';
import type { SeenHeader } from '../../src/bridge/ports.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { hashSubmit } from '../../src/core/shares/share.js';
import { withNonce } from '../../src/core/work/header.js';
import { startDevNode } from '../../src/devnode/server.js';
import { NodeClient } from '../../src/node-client/client.js';
import { createChainReader, HeaderWatch } from '../../src/upstream/chain-reader.js';
import { until } from '../helpers/until.js';

const MINER = {
  account: `k:${'aa'.repeat(32)}`,
  predicate: 'keys-all',
  publicKeys: ['aa'.repeat(32)],
} as const;

describe.each(['specification', 'chainweb'] as const)(
  'reading blocks of a node with profile %s',
  (profile) => {
    it('sees its own blocks announced, listed and as ancestors, and nothing where there is nothing', async () => {
      const node = await startDevNode({
        listen: { host: '127.0.0.1', port: 0 },
        genesisDifficulty: 8,
        headerStream: true,
        profile,
      });
      const client = await NodeClient.connect(node.url);
      const clients = () => new Map([['n', client]]);
      const reader = createChainReader(clients, clients().size);
      const seen: SeenHeader[] = [];
      const watch = new HeaderWatch(
        ['n'],
        clients,
        { sawHeader: (_node, header) => void seen.push(header) },
        SILENT,
      );
      const first = await client.work({ miner: MINER, timeoutMs: 60_000 });
      await until('a block is announced', async () => {
        if (seen.length === 0) await mine(client, first.chainId);
        return seen.length > 0;
      });
      const [header] = seen;
      const { chainId = 0, height = 0, hash = new Uint8Array() } = header ?? {};
      const listed = await reader.listHeaders('n', chainId, { min: height, max: height + 100 }, 50);
      expect(listed[0]?.hash).toEqual(hash);
      const tip = listed.at(-1) ?? expect.fail('no tip');
      expect(await reader.ancestorsAt('n', chainId, height, tip.hash)).toEqual([hash]);
      expect(await reader.listHeaders('n', chainId, { min: 1000, max: 2000 }, 50)).toEqual([]);
      expect(await reader.ancestorsAt('n', chainId, 1, new Uint8Array(32))).toEqual([]);
      expect(await reader.payloadOutputs('n', chainId, 1, new Uint8Array(32))).toBeUndefined();
      await expect(reader.listHeaders('other', chainId, { min: 0, max: 1 }, 1)).rejects.toThrow(
        'cannot be asked',
      );
      expect(reader.nodes).toEqual(['n']);
      await watch.close();
      await client.close();
      await node.close();
    });
  },
);

async function mine(client: NodeClient, chainId: number): Promise<void> {
  const job = new JobBook(1).add(await client.work({ miner: MINER, chainId, timeoutMs: 60_000 }), 'n');
  let nonce = 0n;
  while (!hashSubmit(job, nonce).solves) nonce++;
  await client.solved(withNonce(job.header, nonce));
}
