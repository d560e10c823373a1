/** Failures of setting up, as sentences that name setting, value, source and remedy. */

import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concerning, explained } from '../../src/assembly/failures.js';
import { CommandError } from '../../src/cli/line/command.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { CpuModeError } from '../../src/cpu/modes.js';
import { LedgerError } from '../../src/ledger/database/errors.js';
import { PoolUrlError } from '../../src/rig/wire.js';
import { listen } from '../../src/stratum/admission/listener.js';
import { CertificateError } from '../../src/tls/certificate.js';
import { KernelError } from '../../workers/kernels.js';
import { runHere } from '../helpers/processes/command.js';
import { loadConfig } from '../helpers/stories/load-config.js';

/** Takes connections and never says a word. */
const silent = createServer((socket) => socket.on('error', () => {}));
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  if (address !== null && typeof address === 'object') port = address.port;
});
afterAll(() => void silent.close());

const load = (...argv: string[]) => loadConfig(BRIDGE_SETTINGS, { argv });

async function sentenceOf(failing: Promise<unknown>): Promise<string> {
  const error = await failing.then(
    () => expect.fail('it went well'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CommandError);
  return (error as CommandError).message;
}

describe('C13: what cannot be set up', () => {
  it('C13: a database that never answers is named without its password, with what to do', async () => {
    const url = `postgres://me:S3cret@127.0.0.1:${port}/books`;
    const { code, stderr } = await runHere('ledger', ['accounts', '--ledger-database-url', url]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `ledger.databaseUrl: "postgres://me:***@127.0.0.1:${port}/books" (flag --ledger-database-url)`,
      ),
    ]);
    expect(stderr).toMatch(/nothing answers in time; does it run, and does a firewall/);
    expect(stderr).not.toMatch(/S3cret|^\s+at /m);
  });

  it.each([
    ['ETIMEDOUT', 'connect', /firewall/],
    ['EHOSTUNREACH', 'connect', /no way leads to this host/],
    ['ENETUNREACH', 'connect', /no way to that network/],
    ['EISDIR', 'read', /it is a folder/],
    ['EROFS', 'mkdir', /read-only/],
    ['EACCES', 'listen', /ports below 1024/],
    ['EACCES', 'open', /give this user the right/],
  ])('C13: %s of %s has words', async (code, syscall, expected) => {
    const fail = async () => {
      throw Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
    };
    expect(await sentenceOf(explained(fail))).toMatch(expected);
    const loaded = load('--web-listen', '127.0.0.1:80');
    const sentence = await sentenceOf(explained(() => concerning('web.listen', fail), loaded));
    expect(sentence).toContain(`web.listen: "127.0.0.1:80" (flag --web-listen) ${syscall} ${code}: `);
  });

  it('C13: all addresses of a host refuse: the first is told', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' });
    const fail = async () => {
      throw Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
    };
    expect(await sentenceOf(explained(fail))).toMatch(/^connect ECONNREFUSED ::1:1: nobody answers there/);
  });

  it('C13: a port of rigs that is taken is told with its setting', async () => {
    const loaded = load('--stratum-ws', `127.0.0.1:${port}`);
    const start = () => listen('ws', { host: '127.0.0.1', port }, () => {});
    expect(await sentenceOf(explained(start, loaded))).toMatch(
      /^stratum\.ws: "127\.0\.0\.1:\d+" \(flag --stratum-ws\) cannot listen for rigs .*another program uses this port/,
    );
  });

  it('what nobody can mend passes as it is', async () => {
    const bug = new TypeError('a bug');
    await expect(explained(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});

it.each([
  new LedgerError('refused', 'a sentence'),
  new CertificateError('a sentence'),
  new CpuModeError('a sentence'),
  new KernelError('a sentence'),
  new PoolUrlError('a sentence'),
])('$name says by itself what to do', async (error) => {
  expect(await sentenceOf(explained(() => Promise.reject(error)))).toBe('a sentence');
});
