/** The web by TLS: with the certificate that is in force at each handshake. */
import { writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { Certificate } from '../../src/tls/certificate.js';
import { makeSelfSigned } from '../../src/tls/self-signed.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';
import { ELSEWHERE, startGuarded } from '../helpers/web/guarded-web.js';
import { bearer, READ } from '../helpers/web/operators.js';

const pairOf = (name: string) =>
  makeSelfSigned({ hosts: [name, '127.0.0.1'], nowMs: Date.now(), days: 2, serial: Buffer.alloc(16, 9) });

async function startSecured() {
  const folder = await temporaryFolder();
  const [certificateFile, privateKeyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  const write = async (name: string): Promise<string> => {
    const pair = pairOf(name);
    await writeFile(certificateFile, pair.certificate);
    await writeFile(privateKeyFile, pair.privateKey);
    return pair.certificate;
  };
  const ca = await write('first');
  const certificate = await Certificate.open({ certificateFile, privateKeyFile }, SILENT, 20);
  const web = await startGuarded({ certificate });
  const port = Number(new URL(web.url).port);
  /** The name in the certificate that is shown now. */
  const shown = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().subject.CN);
        socket.destroy();
      }).on('error', reject);
    });
  return {
    ...{ web, port, ca, write, shown, certificate },
    spoil: () => writeFile(certificateFile, 'nonsense'),
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      certificate.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it('is asked by https alone, with a token', async () => {
  await using secured = await startSecured();
  const { web, ca, port } = secured;
  expect(web.url).toBe(`https://127.0.0.1:${port}`);
  const dispatcher = new Agent({ connect: { ca } });
  const status = async (path: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await request(web.url + path, { dispatcher, headers });
    await body.dump();
    return statusCode;
  };
  expect(await status('/metrics', ELSEWHERE)).toBe(401);
  expect(await status('/metrics', { ...ELSEWHERE, ...bearer(READ) })).toBe(200);
  await dispatcher.destroy();
  const said = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connectPlain(port, '127.0.0.1', () =>
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
  expect(said).not.toContain('ok');
});

it('shows another certificate once its files hold one, and stays with the former where they hold none', async () => {
  await using secured = await startSecured();
  expect(await secured.shown()).toBe('first');
  await secured.write('second');
  await until('the second one is shown', async () => (await secured.shown()) === 'second');
  await secured.spoil();
  await expect(secured.certificate.read()).rejects.toThrow('are no certificate with its key');
  expect(await secured.shown()).toBe('second');
});

it('takes nothing older than TLS 1.2', async () => {
  await using secured = await startSecured();
  await expect(
    new Promise((resolve, reject) => {
      const old = {
        host: '127.0.0.1',
        port: secured.port,
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.1',
      } as const;
      const socket = connect({ ...old, minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, () =>
        resolve(socket),
      ).on('error', reject);
    }),
  ).rejects.toThrow();
});
