/** The other ways to make blocks, through the real bridge and the real node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { difficultyOf, targetFromHexBigEndian } from '../../../src/core/work/target.js';
import { type DevNodeOptions, startDevNode } from '../../../src/devnode/dev-node.js';
import type { Summary } from '../../../src/operations/state.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { until } from '../../helpers/until.js';
import { ADMIN, bearer, fetchAsReader, READ_TOKEN } from '../../helpers/web/operators.js';

const SEARCHER = fileURLToPath(new URL('../../../dist/test/helpers/rigs/nonce-searcher.js', import.meta.url));

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** A node that takes any nonce and a bridge without rigs, for as long as `use` takes. */
async function withBridge(
  rules: Partial<DevNodeOptions>,
  settings: readonly string[],
  use: (web: string, summary: () => Promise<Summary>, bridge: Program) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const node = await startDevNode({ proofOfWork: false, ...rules });
  const args = [
    'serve',
    ...['--ledger-database-url', await createDatabase(postgres)],
    ...['--node-urls', node.url, '--miner-account', `k:${'ab'.repeat(32)}`, '--data-dir', folder.path],
    ...['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', '127.0.0.1:0', ...settings],
  ];
  await using bridge = startProgram(args, {
    STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify({ ...READ_TOKEN, ann: { access: 'admin', secret: ADMIN } }),
  });
  const { web } = await bridge.ready();
  try {
    const summary = async () => (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;
    await use(String(web), summary, bridge);
  } finally {
    await node.close();
  }
}

/** Hashes of the first blocks. */
const EASY = 1_000_000;

interface RigList {
  readonly rigs: readonly { readonly rig: string; readonly lastShareAt: string }[];
}
const RESTS = 'a rig mines: the CPU stops mining';
const MINES = 'no rig mines: the CPU mines';

describe('blocks without a rig', () => {
  it.each([
    ['simulation', ['--cpu-hash-rate', String(5 * EASY)]],
    ['constant-delay', ['--cpu-block-delay', '200ms']],
  ])('come by %s', async (mode, settings) => {
    await withBridge(
      { genesisDifficulty: EASY },
      ['--cpu-mode', mode, ...settings],
      async (_web, summary) => {
        await until('three blocks', async () => (await summary()).solutions.accepted >= 3);
        expect((await summary()).solutions.rejected).toBe(0);
      },
    );
  });

  it('come on demand, exactly as many as asked for', async () => {
    await withBridge({}, ['--cpu-mode', 'on-demand'], async (web, summary) => {
      await until('a job', async () => (await summary()).works.length > 0);
      const make = (body: unknown) =>
        fetch(`${web}/make-blocks`, {
          method: 'POST',
          headers: { ...bearer(ADMIN), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const made = await make({ 0: 1, 4: 1 });
      expect([made.status, await made.json()]).toEqual([200, { made: { 0: 1, 4: 1 } }]);
      expect((await summary()).solutions).toMatchObject({ accepted: 2, rejected: 0 });
      const wrong = await make({ 0: -1 });
      expect(wrong.status).toBe(400);
      const noJson = await fetch(`${web}/make-blocks`, {
        method: 'POST',
        headers: { ...bearer(ADMIN), 'content-type': 'application/json' },
        body: '{',
      });
      expect(noJson.status).toBe(400);
    });
  });

  it('come from the CPU until a rig comes, and again after it has left', async () => {
    const rules = { genesisDifficulty: EASY, proofOfWork: true };
    const settings = ['--cpu-threads', '1', '--stratum-tcp', '127.0.0.1:0'];
    await withBridge(rules, settings, async (web, summary, bridge) => {
      const sharesOfCpu = async (): Promise<string | undefined> => {
        const { rigs } = (await (await fetchAsReader(`${web}/api/v1/rigs`)).json()) as RigList;
        return rigs.find(({ rig }) => rig === 'cpu')?.lastShareAt;
      };
      await until('a share of the CPU', sharesOfCpu);
      const rig = startProgram([
        'rig',
        '--urls',
        `tcp://${bridge.last('ready')?.['tcp']}`,
        '--user',
        'me.rig',
      ]);
      await until('the rig is connected', async () => (await summary()).sessions === 1);
      await until('the CPU rests', () => bridge.lines.some(({ msg }) => msg === RESTS));
      rig.kill('SIGTERM');
      expect(await rig.ended).toBe(0);
      await until('the CPU mines again', () => bridge.lines.some(({ msg }) => msg === MINES));
      const rested = await sharesOfCpu();
      await until('it has a share again', async () => (await sharesOfCpu()) !== rested);
    });
  });

  it('come from a command of the operator', async () => {
    const command = `"${process.execPath}" "${SEARCHER}"`;
    const rules = { genesisDifficulty: 2000, blockDelay: 1000 };
    await withBridge(rules, ['--cpu-mode', 'external', '--cpu-command', command], async (_web, summary) => {
      await until('two blocks', async () => (await summary()).solutions.accepted >= 2);
      expect((await summary()).solutions.rejected).toBe(0);
    });
  });
});

describe('ports with names', () => {
  const EXAMPLE = fileURLToPath(new URL('../../../config/examples/rented-rigs.yaml', import.meta.url));
  const ANY = '127.0.0.1:0';
  const KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

  interface PortMap {
    readonly name: string;
  }
  const metricsOf = async (web: string): Promise<string[]> =>
    (await (await fetchAsReader(`${web}/metrics`)).text())
      .split('\n')
      .filter((line) => line.includes('port_sessions{'));
  /** As the rig is told. */
  const difficultyOfRig = (rig: WireRig): bigint | undefined => {
    const target = targetFromHexBigEndian(String(rig.notices('mining.set_target').at(-1)?.params?.[0]));
    return target && difficultyOf(target);
  };

  it('are four: two of the example for rented rigs, one for TLS alone, one with passwords', async () => {
    await using folder = await temporaryFolder();
    const config = join(folder.path, 'bridge.yaml');
    const { stratum } = parse(readFileSync(EXAMPLE, 'utf8')) as { stratum: { ports: PortMap[] } };
    const more = [
      { name: 'secure', tls: 'only', accounts: 'open' },
      { name: 'secret', transport: 'ws', accounts: 'password', passwords: { team: 'S3cret' }, fixed: '5M' },
    ];
    const write = (ports: readonly object[]): void => {
      const here = ports.map((port) => ({ ...port, listen: ANY }));
      writeFileSync(config, stringify({ stratum: { ...stratum, tls: { selfSigned: true }, ports: here } }));
    };
    write([...stratum.ports, ...more]);
    await withBridge(
      { genesisDifficulty: 9e15 },
      ['--cpu-mode', 'off', '--config', config],
      async (web, _, bridge) => {
        const { ports } = await bridge.ready();
        expect(Object.keys(ports as object)).toEqual(['rigs', 'rented', 'secure', 'secret']);
        const portOf = (name: string) => Number((ports as Record<string, string>)[name]?.split(':').at(-1));
        const made = bridge.lines.find(({ certificateFile }) => certificateFile !== undefined);
        const ca = readFileSync(String(made?.['certificateFile']), 'utf8');
        const login = { rigs: `k:${KEY}.a`, rented: `k:${KEY}.b`, secure: 'bob', secret: 'team.c' };
        const via = { rigs: 'ws', rented: 'tcp', secure: 'tls', secret: 'wss' } as const;
        const rigs = new Map<string, WireRig>();
        for (const name of ['rigs', 'rented', 'secure', 'secret'] as const) {
          const rig = await WireRig.connect(via[name], portOf(name), { ca });
          await rig.request(1, 'mining.subscribe', ['test/1', null]);
          expect((await rig.request(2, 'mining.authorize', [login[name], 'S3cret'])).result).toBe(true);
          rigs.set(name, rig);
        }
        await expect(WireRig.connect('ws', portOf('secure'))).rejects.toBeDefined();
        const wanted = { rigs: 1_073_741_824n, rented: 10n ** 15n, secret: 5_000_000n };
        for (const [name, difficulty] of Object.entries(wanted)) {
          const rig = rigs.get(name) ?? expect.fail();
          await until(`${name} has a difficulty of ${difficulty}`, () => difficultyOfRig(rig) === difficulty);
        }
        const { ports: open } = (await (await fetchAsReader(`${web}/api/v1/listeners`)).json()) as {
          ports: object[];
        };
        expect(open).toMatchObject([
          { name: 'rigs', transport: 'both', tls: 'also', sessions: 1 },
          { name: 'rented', transport: 'tcp', sessions: 1 },
          { name: 'secure', tls: 'only', sessions: 1 },
          { name: 'secret', transport: 'ws', sessions: 1 },
        ]);
        const { sessions } = (await (await fetchAsReader(`${web}/api/v1/sessions`)).json()) as {
          sessions: PortMap[];
        };
        expect(sessions).toHaveLength(4);
        const names = Object.keys(login).map((name) => `stratum_bridge_port_sessions{port="${name}"} 1`);
        expect(await metricsOf(web)).toEqual(names);
        expect(JSON.stringify(await (await fetchAsReader(`${web}/api/v1/settings`)).json())).not.toContain(
          'S3cret',
        );

        write([
          ...stratum.ports.map((port) => ({ ...port, start: '5P', min: '3P' })),
          { name: 'new' },
          ...more,
        ]);
        bridge.kill('SIGHUP');
        const rented = rigs.get('rented') ?? expect.fail();
        await until('the rig works harder', () => (difficultyOfRig(rented) ?? 0n) >= 3n * 10n ** 15n);
        await until('the new port is told', () =>
          bridge.lines.some(({ msg }) => msg === 'port new requires a restart: it is new'),
        );
        await until('it waits', () =>
          bridge.lines.some(({ key, state }) => key === 'stratum.ports' && state === 'requires a restart'),
        );
        for (const rig of rigs.values()) expect(rig.closed).toBe(false);
      },
    );
  });
});
