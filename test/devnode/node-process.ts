/** A node in a process of its own, for tests that kill it: options as JSON in the first argument, addresses on stdout. */
import { startDevNode } from '../../src/devnode/server.js';

const node = await startDevNode(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify({ url: node.url, rootUrl: node.rootUrl })}\n`);
process.once('SIGTERM', () => void node.close());
