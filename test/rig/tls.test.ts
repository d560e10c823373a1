import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Log } from '../../src/core/names/log.js';
import { targetOf, targetToHexBigEndian } from '../../src/core/work/target.js';
import { Rig } from '../../src/rig/rig.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { startPool } from './scripted-pool.js';

const certificate = makeCertificate();
if (!certificate) process.stderr.write('LEFT OUT: the rig over TLS (no openssl to make a certificate)\n');

/** Self-signed, for 127.0.0.1. */
function makeCertificate(): { key: string; cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=pool', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...names], {
      stdio: 'pipe',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

describe.skipIf(!certificate).each(['tls', 'wss'] as const)('over %s', (transport) => {
  async function start(tlsInsecure: boolean) {
    const pool = await startPool({
      transport,
      targetHex: targetToHexBigEndian(targetOf(60_000n)),
      jobs: [{ id: 'j1', header: makeWork({}).header }],
      ...(certificate ? { tls: certificate } : {}),
    });
    open.push(pool);
    const said: string[] = [];
    const say = (fields: object, message: string): void =>
      void said.push(`${message} ${JSON.stringify(fields)}`);
    const log: Log = { debug() {}, info: say, warn: say, error: say };
    const rig = new Rig({
      urls: [pool.url],
      user: 'k:miner.one',
      password: 'x',
      agent: 'test/1',
      threads: 1,
      kernel: 'scalar',
      tlsInsecure,
      log,
      random: () => 0.5,
      threadUrl: THREAD_URL,
    });
    open.push(rig);
    return { rig, said };
  }

  it('mines for a pool with a certificate of its own when it is told to take any', async () => {
    const { rig } = await start(true);
    await until('a share', () => rig.status().submits.accepted > 0);
  });

  it('leaves such a pool otherwise, and says why', async () => {
    const { rig, said } = await start(false);
    const line = await until('a reason', () => said.find((text) => text.includes('self-signed certificate')));
    expect(line).toContain('--insecure');
    expect(rig.status().state).toBe('connecting');
  });
});
