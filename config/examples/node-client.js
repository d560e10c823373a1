/**
 * The node client alone, without the bridge: shows a node's head, the newest blocks of a chain, and the next new one.
 *
 *     node config/examples/node-client.js http://127.0.0.1:1848 [chain]
 */
import { NodeClient, NodeError } from 'stratum-bridge/node-client';

const [url = 'http://127.0.0.1:1848', chain = '0'] = process.argv.slice(2);
const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);
/** For calls that may fail now and work later. */
const patient = { timeoutMs: 10_000, attempts: 5 };

/** Real nodes have a second port with TLS and a certificate of their own making: `{ tls: { insecure: true } }`. */
const node = await NodeClient.connect({ nodes: url });
try {
  const { height, hashes } = await node.maintenance.cut(undefined, patient);
  say(
    node.address.network,
    'at',
    node.address.baseUrl,
    'has',
    Object.keys(hashes).length,
    'chains, height',
    height,
  );
  await showNewest(node.chain(Number(chain)), hashes[chain]?.height ?? 0);
  await showNext(node);
} catch (error) {
  if (!(error instanceof NodeError)) throw error;
  say(`${error.endpoint} failed: ${error.message}. What to do: ${error.advice}.`);
  process.exitCode = 1;
} finally {
  await node.close();
}

/** From page to page, however large the node makes them. */
async function showNewest(blocks, head) {
  for await (const { height, hash } of blocks.headers.each({ minHeight: Math.max(0, head - 2) }, patient))
    say('block', height, hash);
}

/** The stream comes back by itself when the node ends it. */
async function showNext(client) {
  const onOpen = () => say('waiting for the next block');
  for await (const { header } of client.headerUpdates({ onOpen, signal: AbortSignal.timeout(60_000) })) {
    say('new on chain', header.chainId, 'height', header.height, header.hash);
    break;
  }
}
