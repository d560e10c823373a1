/** What operators read when a node, or what stands before it, refuses: in the log, the summary and `doctor`. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Summary } from '../../../src/operations/state.js';
import { type CertificatePair, makeSelfSigned } from '../../../src/tls/self-signed.js';
import { createDatabase, startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runProgram, startProgram } from '../../helpers/processes/program.js';
import { openTap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { serveHttp } from '../../helpers/web/http.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const DAY_MS = 86_400_000;
const LOCAL = '127.0.0.1';

const pair = (host: string, nowMs: number, serial: number): CertificatePair =>
  makeSelfSigned({ hosts: [host], nowMs, days: 2, serial: Buffer.alloc(16, serial) });

/** A server with this certificate; nobody gets as far as asking it for anything. */
async function serveTls({ certificate, privateKey }: CertificatePair) {
  const server = createServer({ cert: certificate, key: privateKey }, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, LOCAL, resolve));
  return {
    host: `${LOCAL}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('a proxy that keeps answers, and a node of another network: in doctor too', async () => {
  const postgres = await startTestPostgres();
  await using folder = await temporaryFolder();
  await using node = startProgram(['node', '--mining', '--listen', `${LOCAL}:0`]);
  await using foreign = startProgram([
    'node',
    '--mining',
    '--listen',
    `${LOCAL}:0`,
    '--network',
    'testnet04',
  ]);
  await using tap = await openTap(Number(new URL(String((await node.ready())['url'])).port));
  const foreignUrl = new URL(String((await foreign.ready())['url'])).origin;
  const kept = new Map<string, string>();
  tap.set({
    onAnswer: (text, path) => {
      if (path.includes('/mining/work') && !kept.has(path)) kept.set(path, text);
      return kept.get(path) ?? text;
    },
  });
  try {
    const { text } = await runProgram([
      ...['doctor', '--node-urls', tap.url, '--node-urls', foreignUrl, '--miner-account', ACCOUNT],
      ...['--data-dir', folder.path, '--ledger-database-url', await createDatabase(postgres)],
      ...['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', 'off'],
    ]);
    const findings = JSON.parse(text).findings as Record<string, string>[];
    const said = findings.map(({ what, detail, advice }) => `${what}: ${detail}; ${advice}`).join('\n');
    expect(said).toMatch(
      /mining for k:cd.*: gives work, but the same again seconds later: a proxy in between/,
    );
    expect(said).toContain(
      `node ${foreignUrl}: it is a node of testnet04, and the first one is of development; name only nodes of one network`,
    );
  } finally {
    await postgres.close();
  }
});

it('TLS that cannot be had: whose certificate, what is wrong with it, what to do', async () => {
  const postgres = await startTestPostgres();
  const [expired, elsewhere] = [
    pair(LOCAL, Date.now() - 30 * DAY_MS, 2),
    pair('elsewhere.example', Date.now(), 3),
  ];
  await using folder = await temporaryFolder();
  await using stranger = await serveTls(pair(LOCAL, Date.now(), 1));
  await using old = await serveTls(expired);
  await using misnamed = await serveTls(elsewhere);
  await using plain = await serveHttp((_, response) => void response.end('{}'));
  const ca = join(folder.path, 'ca.pem');
  writeFileSync(ca, expired.certificate + elsewhere.certificate);
  const words = new Map([
    [`https://${stranger.host}`, /TLS: self-signed certificate: .*node\.ca.*node\.insecure/],
    [`https://${old.host}`, /TLS: certificate has expired: renew the certificate of the node/],
    [`https://${misnamed.host}`, /TLS: .*not in the cert.*: use a host name that stands in the certificate/],
    [plain.url.replace('http:', 'https:'), /TLS: [a-z ]+: does this port speak TLS\? .*: use http:/],
    [`http://${stranger.host}`, /a port that wants TLS \(https:\/\/\)/],
  ]);
  const settings = [
    ...Array.from(words.keys()).flatMap((url) => ['--node-urls', url]),
    ...[
      '--node-ca',
      ca,
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      '--stratum-tcp',
      'off',
      '--stratum-ws',
      'off',
    ],
    ...['--ledger-database-url', await createDatabase(postgres)],
  ];
  try {
    await using bridge = startProgram([
      'serve',
      ...settings,
      '--cpu-mode',
      'off',
      '--web-listen',
      `${LOCAL}:0`,
    ]);
    const { web } = await bridge.ready();
    const reasons = async (): Promise<[string, string][]> => {
      const { nodes } = (await (await fetchAsReader(`${web}/api/v1/summary`)).json()) as Summary;
      return nodes.map(({ url, state, reason }) => [url, `${state} ${reason}`]);
    };
    const reached = async (): Promise<boolean> =>
      (await reasons()).every(([, reason]) => !reason.startsWith('starting'));
    await until('all were asked', reached);
    for (const [url, reason] of await reasons()) {
      expect(reason).toMatch(words.get(url) ?? expect.fail(url));
      const line = expect.objectContaining({ node: url, state: 'away', reason: reason.replace('away ', '') });
      await expect.poll(() => bridge.lines).toContainEqual(line);
    }
    // Beside a bridge that runs, doctor asks that one and no node.
    bridge.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    const { text, code } = await runProgram(['doctor', ...settings, '--web-listen', 'off']);
    const findings = JSON.parse(text).findings as Record<string, string>[];
    expect(code).toBe(1);
    for (const [url, said] of words) {
      const found = findings.find(({ what }) => what === `node ${url}`);
      expect(`${found?.['detail']}: ${found?.['advice']}`).toMatch(
        new RegExp(said.source.replace('TLS: ', '')),
      );
    }
  } finally {
    await postgres.close();
  }
});
