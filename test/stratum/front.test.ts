import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as secureConnect } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { peerAt } from '../../src/core/names/peer.js';
import { AddressList } from '../../src/stratum/admission/address-list.js';
import { parseProxyHeader } from '../../src/stratum/admission/proxy-protocol.js';
import { Certificate, CertificateError } from '../../src/tls/certificate.js';
import { makeSelfSigned } from '../../src/tls/self-signed.js';
import { temporaryFolder } from '../helpers/folder.js';
import { WIRE_TRANSPORTS } from '../helpers/rigs/wire-rig.js';
import { startTestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const V1 = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.2 5000 1917\r\n');
const V2_HEAD = '0d0a0d0a000d0a515549540a';
const V2_IPV4 = Buffer.from(`${V2_HEAD}2111000cc0000207c63364021388077d`, 'hex');
const V2_IPV6 = Buffer.from(
  `${V2_HEAD}21210024${'20010db8'.padEnd(32, '0')}${'00'.repeat(16)}1388077d`,
  'hex',
);
const V2_LOCAL = Buffer.from(`${V2_HEAD}20000000`, 'hex');

describe('PROXY header', () => {
  it.each([
    ['version 1', V1, { host: '192.0.2.7', port: 5000 }],
    ['version 2, IPv4', V2_IPV4, { host: '192.0.2.7', port: 5000 }],
    ['version 2, IPv6', V2_IPV6, { host: '2001:db8:0:0:0:0:0:0', port: 5000 }],
    ['version 2, the balancer itself', V2_LOCAL, undefined],
    ['version 1, unknown', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
  ])('%s is read however it is cut', (_name, bytes, source) => {
    for (let length = 0; length < bytes.length; length++) {
      expect(parseProxyHeader(bytes.subarray(0, length))).toEqual({ kind: 'more' });
    }
    const whole = { kind: 'header', length: bytes.length, ...(source ? { source } : {}) };
    expect(parseProxyHeader(Buffer.concat([bytes, Buffer.from('{"id":1}')]))).toEqual(whole);
  });

  it.each([
    ['{"id":1}', /no PROXY header/],
    ['PROXY TCP4 nonsense 1 2 3\r\n', /does not name/],
    ['PROXY TCP4 1.2.3.4 1.2.3.4 99999 1\r\n', /does not name/],
    [`PROXY ${'x'.repeat(200)}`, /does not end within 107/],
  ])('says what is wrong with %s', (text, detail) => {
    expect(parseProxyHeader(Buffer.from(text))).toMatchObject({
      kind: 'fault',
      detail: expect.stringMatching(detail),
    });
  });

  it('never throws', () => {
    const tails = fc.uint8Array({ maxLength: 60 }).map((tail) => Buffer.from(tail));
    const heads = fc.constantFrom(
      Buffer.alloc(0),
      Buffer.from(V2_HEAD, 'hex'),
      Buffer.from('PROXY TCP6 '),
      V2_IPV4.subarray(0, 14),
    );
    fc.assert(
      fc.property(heads, tails, (head, tail) => {
        expect(parseProxyHeader(Buffer.concat([head, tail])).kind).toMatch(/more|header|fault/);
      }),
    );
  });
});

describe('peer', () => {
  it('is counted by its IPv4 address or its IPv6 /64', () => {
    expect(peerAt('::ffff:192.0.2.7', 5)).toEqual({
      ...{ host: '192.0.2.7', text: '192.0.2.7:5', addressKey: '192.0.2.7' },
    });
    expect(peerAt('2001:db8:1:2:3:4:5:6', 5).addressKey).toBe('2001:db8:1:2::/64');
    expect(peerAt('2001:DB8:1::6', 5)).toMatchObject({
      text: '[2001:DB8:1::6]:5',
      addressKey: '2001:db8:1:0::/64',
    });
    expect(peerAt('::1', 5).addressKey).toBe('0:0:0:0::/64');
    expect(peerAt('fe80::1%eth0', 5).addressKey).toBe('fe80:0:0:0::/64');
  });

  it.each([
    ['mapped, as a balancer sends it', '0:0:0:0:0:ffff:cb00:7105'],
    ['mapped, short', '::ffff:cb00:7105'],
    ['mapped, with dots', '::FFFF:203.0.113.5'],
    ['behind NAT64', '64:ff9b::cb00:7105'],
    ['behind NAT64, with dots', '64:ff9b:0:0::203.0.113.5'],
  ])('R8: is counted by its IPv4 address when that is %s', (_how, host) => {
    expect(peerAt(host, 5)).toEqual({
      ...{ host: '203.0.113.5', text: '203.0.113.5:5', addressKey: '203.0.113.5' },
    });
  });

  it.each(['64:ff9b:1::cb00:7105', '::cb00:7105', '::ffff:0:cb00:7105', '1::ffff:cb00:7105'])(
    'R8: stays an IPv6 address: %s',
    (host) => expect(peerAt(host, 5).text).toBe(`[${host}]:5`),
  );

  it('is on a list of addresses and prefixes', () => {
    const list = new AddressList(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']);
    for (const host of ['10.1.2.3', '192.0.2.1', '2001:db8:1::1']) expect(list.has(host)).toBe(true);
    for (const host of ['192.0.2.2', '11.0.0.1', '2001:db9::1', '::1']) expect(list.has(host)).toBe(false);
    expect(new AddressList([]).has('10.1.2.3')).toBe(false);
    expect(() => new AddressList(['nonsense'])).toThrow('"nonsense" is no address or prefix');
    expect(() => new AddressList(['10.0.0.0/64'])).toThrow(RangeError);
  });
});

describe.each(WIRE_TRANSPORTS)('behind a balancer over %s', (transport) => {
  it.each([
    ['version 1', V1, '192.0.2.7:5000'],
    ['version 2', V2_IPV6, '[2001:db8:0:0:0:0:0:0]:5000'],
  ])('a rig is known by its own address: PROXY %s', async (_name, preamble, peer) => {
    await using bridge = await startTestBridge({ balancers: ['127.0.0.0/8'] });
    const peers: string[] = [];
    bridge.events.on('sessionOpened', (session) => peers.push(session.peer));
    const rig = await bridge.connect(transport, { preamble });
    expect((await rig.request(1, 'mining.ping')).result).toBe('pong');
    expect(peers).toEqual([peer]);
  });
});

describe('a port', () => {
  it.each([
    ['version 1', (end: number) => Buffer.from(`PROXY TCP6 ::ffff:cb00:710${end} ::1 5000 1917\r\n`)],
    [
      'version 2',
      (end: number) =>
        Buffer.from(`${V2_HEAD}21210024${'0'.repeat(20)}ffffcb00710${end}${'00'.repeat(16)}1388077d`, 'hex'),
    ],
  ])('R8: counts rigs apart whose balancer maps their addresses, in %s', async (_version, preambleOf) => {
    await using bridge = await startTestBridge({
      balancers: ['127.0.0.1'],
      limits: { connectionsPerAddress: 1 },
    });
    const peers: string[] = [];
    bridge.events.on('sessionOpened', (session) => peers.push(session.peer));
    for (const end of [1, 2]) {
      const rig = await bridge.connect('tcp', { preamble: preambleOf(end) });
      expect((await rig.request(1, 'mining.ping')).result).toBe('pong');
    }
    expect(peers).toEqual(['203.0.113.1:5000', '203.0.113.2:5000']);
  });

  it('counts connections by the address behind the balancer (users-ask 17)', async () => {
    await using bridge = await startTestBridge({
      balancers: ['127.0.0.1'],
      limits: { connectionsPerAddress: 1 },
    });
    const first = await bridge.connect('tcp', { preamble: V1 });
    await first.request(1, 'mining.ping');
    const second = await bridge.connect('tcp', { preamble: V1 });
    await second.untilClosed();
    const other = await bridge.connect('tcp', { preamble: V2_IPV6 });
    expect((await other.request(1, 'mining.ping')).result).toBe('pong');
    first.close();
    await first.untilClosed();
    while (bridge.server.sessions > 1) await sleep(5);
    const third = await bridge.connect('tcp', { preamble: V1 });
    expect((await third.request(1, 'mining.ping')).result).toBe('pong');
    expect(bridge.server.refused).toBe(1);
  });

  it('believes no PROXY header from a stranger, and none that is wrong', async () => {
    await using open = await startTestBridge();
    const stranger = await open.connect('tcp', { preamble: V1 });
    expect((await stranger.next()).error?.[0]).toBe(-32700);
    await using bridge = await startTestBridge({ balancers: ['127.0.0.1'] });
    const wrong = await bridge.connect('tcp', { preamble: Buffer.from('{"id":1,"method":"mining.ping"}\n') });
    await wrong.untilClosed();
    expect(wrong.lines).toEqual([]);
  });

  it('closes at once what is one too many', async () => {
    await using bridge = await startTestBridge({ limits: { connections: 2 } });
    const rigs = [await bridge.connect('tcp'), await bridge.connect('tcp')];
    for (const rig of rigs) await rig.request(1, 'mining.ping');
    const third = await bridge.connect('tcp');
    await third.untilClosed();
    expect(bridge.server.refused).toBe(1);
  });

  it('cuts who dribbles a handshake', async () => {
    await using bridge = await startTestBridge();
    const slow = connect(bridge.port('ws'), '127.0.0.1');
    const closed = new Promise((resolve) => slow.once('close', resolve));
    slow.write('GET / HTT');
    slow.on('error', () => undefined);
    await sleep(20);
    bridge.skewMs = 11_000;
    await closed;
    expect(bridge.server.sessions).toBe(0);
  });

  it('refuses TLS without a certificate, and goes on (users-ask 16)', async () => {
    await using bridge = await startTestBridge({ certificate: undefined });
    await expect(bridge.connect('tls')).rejects.toBeDefined();
    const plain = await bridge.connect('tcp');
    expect((await plain.request(1, 'mining.ping')).result).toBe('pong');
  });
});

describe('certificate', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const make = (host: string) =>
    makeSelfSigned({ hosts: [host, '::1', '192.0.2.1'], nowMs, days: 365, serial: Buffer.alloc(16, 0xff) });

  it('is one that others can read and check', () => {
    const certificate = new X509Certificate(make('pool.example').certificate);
    expect(certificate.subject).toBe('CN=pool.example');
    expect(certificate.subjectAltName).toBe(
      'DNS:pool.example, IP Address:0:0:0:0:0:0:0:1, IP Address:192.0.2.1',
    );
    expect(new Date(certificate.validTo).getTime()).toBe(nowMs + 365 * 86_400_000);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(true);
  });

  it('CU19: holds IPv6 addresses in each of their spellings', () => {
    const { subjectAltName } = new X509Certificate(make('::ffff:10.1.2.3').certificate);
    expect(subjectAltName).toContain('IP Address:0:0:0:0:0:FFFF:A01:203');
  });

  it('CU18: says once of each state of its files that they are no pair', async () => {
    await using folder = await temporaryFolder();
    const files = {
      certificateFile: join(folder.path, 'cert.pem'),
      privateKeyFile: join(folder.path, 'key.pem'),
    };
    const pair = make('one');
    await writeFile(files.certificateFile, pair.certificate);
    await writeFile(files.privateKeyFile, pair.privateKey);
    const said: string[] = [];
    const warn = (fields: object): void => void said.push(JSON.stringify(fields));
    const certificate = await Certificate.open(files, { ...SILENT, warn }, 5);
    await writeFile(files.privateKeyFile, 'broken');
    await until('a word', () => said.length > 0);
    await sleep(100);
    await rm(files.privateKeyFile);
    await until('another', () => said.some((line) => line.includes('ENOENT')));
    await sleep(100);
    certificate.close();
    // Between the two a look may fall into the write.
    expect(said.length).toBeLessThan(5);
  });

  it('is read again when its files change, and kept when they are broken (users-ask 16)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
    const files = { certificateFile: join(folder, 'cert.pem'), privateKeyFile: join(folder, 'key.pem') };
    const write = async (pair: { certificate: string; privateKey: string }): Promise<void> => {
      await writeFile(files.certificateFile, pair.certificate);
      await writeFile(files.privateKeyFile, pair.privateKey);
    };
    await expect(Certificate.open(files, SILENT)).rejects.toThrow(/cannot read .*\.pem: ENOENT/);
    await write({ ...make('one'), privateKey: make('other').privateKey });
    await expect(Certificate.open(files, SILENT)).rejects.toThrow(CertificateError);
    await write(make('one'));
    const certificate = await Certificate.open(files, SILENT, 20);
    await using bridge = await startTestBridge({ certificate });
    expect(await nameShownAt(bridge.port('tls'))).toBe('one');
    await write({ certificate: 'nonsense', privateKey: '' });
    await sleep(60);
    expect(await nameShownAt(bridge.port('tls'))).toBe('one');
    await write(make('two'));
    while ((await nameShownAt(bridge.port('tls'))) !== 'two') await sleep(10);
    certificate.close();
    await rm(folder, { recursive: true });
  });
});

async function nameShownAt(port: number): Promise<string | undefined> {
  const socket = secureConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return Array.isArray(name) ? name[0] : name;
}
