/** A long chain on disk is read without being loaded. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NodeClient } from '../../../src/node-client/client.js';
import { rawStream } from '../../conformance/raw.js';
import { mineMany } from '../../devnode/helpers.js';
import { LONG_CHAIN_FLAGS, writeLongChain } from '../../devnode/long-chain.js';
import { type NodeProcess, startNodeProcess } from '../../devnode/process.js';
import { temporaryFolder } from '../../helpers/folder.js';

const HEADERS = 50_000;
/** As many in the store in memory were measured to take 27 MB of heap and buffers, and 73 MB of the process. */
const MOST_AT_OPENING_MB = 15;
const MOST_GROWTH_MB = 60;

const HAS_PROC = existsSync('/proc/self/status');
if (!HAS_PROC) process.stderr.write('LEFT OUT: a test of memory, because this system has no /proc\n');

it.runIf(HAS_PROC)('a long chain is listed, branched and streamed without being loaded', async () => {
  await using folder = await temporaryFolder();
  const head = await writeLongChain(folder.path, HEADERS);
  await using node = await startNodeProcess('--mining', '--data-dir', folder.path, ...LONG_CHAIN_FLAGS);
  await using fresh = await startNodeProcess('--mining', ...LONG_CHAIN_FLAGS);
  // Opening it takes no more than a chain of nothing.
  expect(ownMegabytes(node) - ownMegabytes(fresh)).toBeLessThan(MOST_AT_OPENING_MB);
  const client = await NodeClient.connect({ nodes: node.url });
  await client.chain(0).hashes.page();
  const before = ownMegabytes(node);
  let listed = 0;
  for await (const _ of client.chain(0).hashes.each()) listed++;
  expect(listed).toBe(HEADERS + 1);
  let descended = 0;
  for await (const _ of client.chain(0).hashes.eachInBranch({ upper: [head] })) descended++;
  expect(descended).toBe(HEADERS + 1);
  const middle = await client.chain(0).headers.page({ minHeight: HEADERS / 2, limit: 1 });
  expect(middle.items[0]?.height).toBe(HEADERS / 2);
  using stream = await rawStream(`${node.url}/block/updates`);
  await mineMany(node, 20);
  await stream.until('twenty blocks', (text) => text.split('\n\n').length === 21);
  expect(ownMegabytes(node) - before).toBeLessThan(MOST_GROWTH_MB);
  await client.close();
});

/** Resident memory that is not the mapped file; the bench has the figures for a million. */
function ownMegabytes({ program }: NodeProcess): number {
  const [, kilobytes] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
