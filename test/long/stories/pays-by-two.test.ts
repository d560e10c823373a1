/** PA19: on a public network `payouts.mode: auto` takes two nodes at two addresses, and the word of both. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { EASY } from '../../devnode/helpers.js';
import { sharedPostgres } from '../../helpers/books/books.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';

const NOT_PAID = 'payments go by the word of one node';
const PAYS = 'this bridge pays on chain';

it.each([
  ['not one by two names', ['127.0.0.1:A', 'localhost:A'], [], NOT_PAID],
  ['not two by the word of one', ['127.0.0.1:A', '127.0.0.1:B'], ['--chain-nodes', '1'], NOT_PAID],
  ['but two', ['127.0.0.1:A', '127.0.0.1:B'], [], PAYS],
])('PA19: auto pays by two nodes: %s', async (_, hosts, rules, says) => {
  const connectionString = await createDatabase(await sharedPostgres());
  await using folder = await temporaryFolder();
  await using one = await startDevNode(EASY);
  const peers = [`http://127.0.0.1:${one.address.port}`];
  await using two = await startDevNode({ ...EASY, peers });
  const keyFile = join(folder.path, 'payouts.key');
  const { publicKey } = await newKeyFile(keyFile, undefined);
  await newSignerLog(signerLogOf(keyFile), publicKey, Date.now());
  const ports: Record<string, number> = { A: one.address.port, B: two.address.port };
  const nodes = hosts.flatMap((host) => [
    ...['--node-urls', `http://${host.replace(/[AB]$/, (node) => String(ports[node]))}`],
  ]);
  const limits = ['line', 'batch', 'day'].flatMap((name) => [`--payouts-limit-${name}`, '100']);
  await using bridge = startProgram([
    ...['serve', ...nodes, ...rules, '--node-development', 'no', '--miner-account', `k:${publicKey}`],
    ...['--payouts-mode', 'auto', '--payouts-key', keyFile, ...limits],
    ...['--ledger-database-url', connectionString, '--data-dir', join(folder.path, 'data')],
    ...['--stratum-tcp', '0', '--stratum-ws', 'off', '--web-listen', 'off'],
  ]);
  await bridge.ready();
  const said = await until('it says whether it pays', () =>
    bridge.lines
      .flatMap(({ msg, why }) => [String(msg), String(why)])
      .find((words) => words.startsWith(NOT_PAID) || words === PAYS),
  );
  expect(said).toContain(says);
});
