/**
 * Every endpoint of a node, asked once with the client: the smallest call for each. They are run by a test.
 *
 *     node config/examples/node-endpoints.js http://127.0.0.1:1848 info
 */
import { contentsOf, decimalIn, NodeClient, numbersOf } from 'stratum-bridge/node-client';

const headOf = async (node) => (await node.maintenance.cut()).hashes[0];
const headerOf = async (node) => node.chain(0).header((await headOf(node)).hash);
/** A header names its payload; the height helps a node to find it. */
const payloadKeyOf = async (node) => {
  const { payloadHash, height } = await headerOf(node);
  return { hash: payloadHash, height };
};
const first = async (events) => {
  for await (const event of events) return event;
};
const everything = async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

/** By the name of the endpoint. `given`: a miner, a signed command, the same as JSON text, and another node. */
export const EXAMPLES = {
  cut: (node) => node.maintenance.cut(),
  putCut: async (node, { peer }) => {
    const cut = await node.maintenance.cut();
    await node.maintenance.putCut({ ...cut, origin: peer });
  },
  cutPeers: async (node) => (await node.maintenance.peers({ limit: 10 })).items,
  addCutPeer: (node, { peer }) => node.maintenance.addPeer(peer),

  hashes: (node) => everything(node.chain(0).hashes.each({ minHeight: 0, limit: 100 })),
  hashBranch: async (node) =>
    everything(node.chain(0).hashes.eachInBranch({ upper: [(await headOf(node)).hash] })),
  headers: async (node) => (await node.chain(0).headers.page({ minHeight: 0 })).items.map(numbersOf),
  header: headerOf,
  headerBranch: async (node) =>
    (await node.chain(0).headers.branch({ upper: [(await headOf(node)).hash] })).items,
  blocks: (node) => node.chain(0).blocks.page({ limit: 2 }),
  blockBranch: async (node) => node.chain(0).blocks.branch({ upper: [(await headOf(node)).hash] }),
  payload: async (node) => contentsOf(await node.chain(0).payload((await payloadKeyOf(node)).hash)),
  payloads: async (node) => node.chain(0).payloads([await payloadKeyOf(node)]),
  payloadWithOutputs: async (node) => {
    const { hash, height } = await payloadKeyOf(node);
    return contentsOf(await node.chain(0).payloadWithOutputs(hash, height)).coinbase;
  },
  payloadsWithOutputs: async (node) => node.chain(0).payloadsWithOutputs([await payloadKeyOf(node)]),

  insert: (node, { transaction }) => node.chain(0).mempool.insert([transaction]),
  pending: async (node) => {
    const { hashes, highwaterMark } = await node.chain(0).mempool.getPending();
    // Later: only what came since.
    const { hashes: since } = await node.chain(0).mempool.getPending(highwaterMark);
    return { hashes, since };
  },
  member: (node, { transaction }) => node.chain(0).mempool.member([JSON.parse(transaction).hash]),
  lookup: (node, { transaction }) => node.chain(0).mempool.lookup([JSON.parse(transaction).hash]),
  poolPeers: async (node) => (await node.chain(0).mempool.peers()).items,
  addPoolPeer: (node, { peer }) => node.chain(0).mempool.addPeer(peer),

  send: (node, { command }) => node.chain(0).pact.send([command]),
  // A block on top of the one that has it.
  poll: async (node, { command }) =>
    (await node.chain(0).pact.poll([command.hash], { confirmationDepth: 1 })).get(command.hash)?.result ??
    'not so deep yet',
  listen: async (node, { command }) => {
    const [requestKey] = await node.chain(0).pact.send([command]);
    return (await node.chain(0).pact.listen(requestKey))?.result.status;
  },
  local: async (node, { command }) => {
    const { gas, result } = await node.chain(0).pact.local(command, { preflight: true });
    // Numbers come in several forms: decimalIn has their digits.
    return result.status === 'success' ? [gas, decimalIn(result.data)] : result.error.message;
  },
  spv: (node, { command }) => node.chain(0).pact.spv(command.hash, 1),

  work: (node, { miner }) => node.work({ miner, timeoutMs: 10_000 }),
  solved: async (node, { miner, solve }) => {
    const work = await node.work({ miner, timeoutMs: 10_000 });
    await node.solved(solve(work));
  },
  miningUpdates: (node) => first(node.miningUpdates(0)),
  headerUpdates: async (node) => numbersOf((await first(node.headerUpdates())).header),
  blockUpdates: async (node) => contentsOf((await first(node.blockUpdates())).payloadWithOutputs).miner,

  startBackup: (node) => node.maintenance.startBackup(),
  backupState: async (node) => node.maintenance.backupState(await node.maintenance.startBackup()),
  healthCheck: (node) => node.maintenance.healthCheck(),
  info: (node) => node.maintenance.info(),
  config: (node) => node.maintenance.config(),
};

const [, program, url = 'http://127.0.0.1:1848', name = 'info'] = process.argv;
if (program?.endsWith('node-endpoints.js')) {
  const node = await NodeClient.connect({ nodes: url });
  const bigints = (_, value) => (typeof value === 'bigint' ? String(value) : value);
  try {
    process.stdout.write(`${JSON.stringify(await EXAMPLES[name](node, {}), bigints, 2)}\n`);
  } finally {
    await node.close();
  }
}
