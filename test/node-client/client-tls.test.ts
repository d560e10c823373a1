/** TLS to a node: with an authority of one's own, without any check, and every refusal in words. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeClient, type TlsOptions } from '../../src/node-client/client.js';
import { temporaryFolder } from '../helpers/folder.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { serveHttp } from '../helpers/web/http.js';
import { CUT, failureOf, INFO } from './scripted-node.js';

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** A self-signed certificate, made by openssl. */
function makePair(folder: string, name: string, ...options: string[]): Pair {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=node'];
  execFileSync('openssl', [...args, ...files, ...options], { stdio: 'pipe' });
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

async function serveTls({ certificate, key }: Pair) {
  let connections = 0;
  let infos = 0;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    request.resume();
    if (request.url === '/info') infos++;
    response.end(request.url === '/info' ? INFO : CUT);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('secureConnection', () => void connections++);
  return {
    connections: () => connections,
    infos: () => infos,
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('TLS', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let good: Pair;
  let other: Pair;
  beforeAll(async () => {
    folder = await temporaryFolder();
    good = makePair(folder.path, 'good', '-days', '2', '-addext', 'subjectAltName=IP:127.0.0.1');
    other = makePair(folder.path, 'other', '-days', '2', '-addext', 'subjectAltName=DNS:elsewhere.example');
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const asked = async (url: string, tls: TlsOptions): Promise<number> => {
    const node = await NodeClient.connect({ nodes: url, timeoutMs: 60_000, tls });
    try {
      return (await node.maintenance.cut()).height;
    } finally {
      await node.close();
    }
  };

  it('trusts an authority of its own, as text, as bytes or among others', async () => {
    await using server = await serveTls(good);
    const { certificate } = good;
    for (const ca of [certificate, Buffer.from(certificate), [other.certificate, certificate]]) {
      expect(await asked(server.url, { ca })).toBe(1);
    }
  });

  it('keeps connections for solutions open, with the same trust', async () => {
    await using server = await serveTls(good);
    const node = await NodeClient.connect({
      nodes: server.url,
      timeoutMs: 60_000,
      tls: { ca: good.certificate },
    });
    await node.solved(makeWork({}).header);
    // It was asked for once to find it, and once over each of four connections.
    await until('connections', () => server.infos() === 1 + 4);
    await nextTurn();
    await nextTurn();
    const before = server.connections();
    await node.solved(makeWork({}).header);
    expect(server.connections()).toBe(before);
    await node.close();
  });

  it('trusts anybody when told so', async () => {
    await using server = await serveTls(other);
    expect(await asked(server.url, { insecure: true })).toBe(1);
  });

  it('says what is wrong with a certificate, and what to do', async () => {
    await using unknown = await serveTls(good);
    const stranger = await failureOf(asked(unknown.url, {}));
    expect(stranger).toMatchObject({ code: 'tls', node: unknown.url, advice: /tls\.ca.*tls\.insecure/ });
    expect(await failureOf(asked(unknown.url, { ca: other.certificate }))).toMatchObject({ code: 'tls' });
    await using elsewhere = await serveTls(other);
    const misnamed = await failureOf(asked(elsewhere.url, { ca: other.certificate }));
    expect(misnamed).toMatchObject({ code: 'tls', advice: /a host name that stands in the certificate/ });
  });

  it('tells TLS and plain HTTP apart', async () => {
    await using plain = await serveHttp((_, response) => void response.end(INFO));
    const spoken = await failureOf(asked(plain.url.replace('http:', 'https:'), {}));
    expect(spoken).toMatchObject({ code: 'tls', advice: /use http:\/\// });
    await using tls = await serveTls(good);
    await expect(asked(tls.url.replace('https:', 'http:'), {})).rejects.toMatchObject({ name: 'NodeError' });
  });
});
