/** What `doctor` hears from a bridge that runs, and for how long it has patience. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { summaryLines } from '../../src/cli/screen/summary.js';
import { askRunning } from '../../src/commands/doctor/running.js';
import type { NodeView } from '../../src/operations/nodes.js';
import type { PayerView } from '../../src/operations/payer/payer-view.js';
import { type Summary, summary } from '../../src/operations/state.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { EXAMPLES_FILE } from '../helpers/tools/document-options.js';
import { controlPlace } from '../helpers/web/control-place.js';
import type { Handler } from '../helpers/web/http.js';

const EXAMPLE: Summary = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'))['GET /api/v1/summary'];
const NODE = {
  ...(EXAMPLE.nodes[0] as NodeView),
  ...{ url: 'http://127.0.0.1:1848', network: 'mainnet01', reason: '', chains: 20, requests: 7 },
};
const SUMMARY: Summary = {
  ...{ ...EXAMPLE, version: '0.2.0', startedAt: new Date().toISOString(), instance: 3, nodes: [NODE] },
  // Of all bridges; doctor says how this one is.
  ...{ sessions: 9, ports: [], hashesPerSecond: 90_000_000, web: null, bridges: bridgesWith(2, 20_400_000) },
  queue: { isUp: true, backend: 'postgres', waiting: 1, failed: 0, heldBack: 0 },
  ledger: { isUp: true, shares: 12, work: '4194304', differingRules: [] },
};
const AWAY = { queue: { isUp: false }, ledger: { isUp: false, differingRules: [] } };

/** @param payers as the ledger has them. */
function bridge(
  summary: object,
  readiness: object = { status: 'ready' },
  payers: readonly PayerView[] = [],
): Handler {
  const listed = { total: payers.length, offset: 0, limit: 100, payer: payers };
  const answers: Record<string, object> = { '/readyz': readiness, '/api/v1/ledger/payer': listed };
  return ({ url = '' }, response) => response.end(JSON.stringify(answers[url] ?? summary));
}

/** What doctor hears at the socket in a data directory, where this answers. */
const heard = (handler: Handler) => besideIt(handler, askRunning);

async function besideIt<T>(handler: Handler, act: (dataDir: string) => Promise<T>): Promise<T> {
  await using folder = await temporaryFolder();
  const server = createServer((request, response) => handler(request, response, Buffer.alloc(0)));
  await new Promise<void>((listening) => server.listen(controlPlace(folder.path), listening));
  try {
    return await act(folder.path);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function said(handler: Handler): Promise<string[]> {
  const { findings = [] } = (await heard(handler)) ?? {};
  return findings.map(({ state, what, detail }) => `${state} ${what}: ${detail}`);
}

/** This one, and another one. */
function bridgesWith(sessions: number, hashesPerSecond: number): Summary['bridges'] {
  const own = { instance: 3, place: 'pool:data', ageMs: 0, sessions, hashesPerSecond };
  return [own, { ...own, instance: 1, sessions: 7 }];
}

it('C8: says of a bridge that is well how its nodes, rigs, queue and ledger are', async () => {
  expect(await said(bridge(SUMMARY))).toEqual([
    expect.stringMatching(/^good bridge, state: ready: version 0\.2\.0, instance 3, up \d+ s/),
    'good bridge, node http://127.0.0.1:1848: network mainnet01, in use, chains with work: 20',
    'good bridge, rigs: 2 sessions, 20.4 MH/s by their shares',
    'good bridge, queue: 1 entries wait, 0 shares wait on disk, 0 set aside',
    'good bridge, ledger: 12 shares, 4.19 Mhashes',
  ]);
});

it('C8: says why one is not ready, and what is away', async () => {
  const away = { ...NODE, state: 'away', reason: 'nobody answers', isActive: false };
  const summary = {
    ...SUMMARY,
    ...{ instance: null, nodes: [away, { ...NODE, bridge: 1 }], bridges: bridgesWith(0, 0) },
    ...AWAY,
  };
  const lines = await said(bridge(summary, { status: 'waiting', missing: 'node away: nobody answers' }));
  expect(lines).toEqual([
    expect.stringMatching(/^fault bridge, state: not ready, node away: nobody answers \(version 0\.2\.0, up/),
    'fault bridge, node http://127.0.0.1:1848: network mainnet01, away: nobody answers',
    'good bridge, rigs: none is connected',
    expect.stringMatching(/^warning bridge, queue: away; the last known: 0 entries wait/),
    expect.stringMatching(/^warning bridge, ledger: away; the last known: 0 shares/),
  ]);
  const differingRules = ['scheme is prop in the ledger, and solo in the settings'];
  const set = {
    ...{ ...SUMMARY, nodes: [NODE, away], ledger: { ...SUMMARY.ledger, differingRules } },
    queue: { ...SUMMARY.queue, failed: 2, heldBack: 5, oldestMs: 61_000 },
  };
  const { findings = [] } = (await heard(bridge(set))) ?? {};
  expect(findings.map(({ state, detail }) => [state, detail]).slice(1)).toEqual([
    ['good', expect.anything()],
    ['warning', expect.anything()],
    ['good', expect.anything()],
    ['warning', '1 entries wait, 5 shares wait on disk, the oldest for 1 min 1 s, 2 set aside'],
    ['good', expect.anything()],
    ['warning', `settings are passed over: ${differingRules[0]}`],
  ]);
});

it('LQ14: config and the first lines of a bridge say where the ledger has other rules than the settings', async () => {
  const [differing = ''] = ['scheme is prop in the ledger, and solo in the settings'];
  const summary = { ...SUMMARY, ledger: { ...SUMMARY.ledger, differingRules: [differing] } };
  expect(summaryLines(summary)).toContain(`  rules      ${differing}`);
  for (const words of [[], ['--json']]) {
    const { code, stderr } = await besideIt(bridge(summary), (dataDir) =>
      runHere('config', ['--data-dir', dataDir, ...words]),
    );
    expect([code, stderr]).toEqual([
      0,
      `stratum-bridge: ${differing}: the ledger counts, and \`ledger rules set\` changes it\n`,
    ]);
  }
  const { stderr } = await besideIt(bridge({}), (dataDir) => runHere('config', ['--data-dir', dataDir]));
  expect(stderr).toBe('');
});

it('C8: says why chains stand still', async () => {
  const following = {
    chains: 20,
    behind: 0,
    still: 2,
    standing: [{ chainId: 3, trouble: 'no node has it' }],
  };
  expect(await said(bridge({ ...SUMMARY, following }))).toContain(
    'warning bridge, chains: 2 of 20 stand still, the first: chain 3: no node has it',
  );
});

it('says how payments on chain stand, and why they are paused', async () => {
  const [example] = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'))['GET /api/v1/ledger/payer'].payer;
  const well: PayerView = {
    ...example,
    isPaying: true,
    lines: 1,
    pauses: [],
    warning: '',
    words: ['so', 'so'],
  };
  const saidOf = async (view: Partial<PayerView>) =>
    (await said(bridge(SUMMARY, undefined, [{ ...well, ...view }]))).at(-1);
  expect(await saidOf({})).toBe('good bridge, payments on chain: so; so');
  for (const wrong of [{ isPaying: false }, { warning: 'one node' }, { pauses: example.pauses }])
    expect(await saidOf(wrong)).toBe('warning bridge, payments on chain: so; so');
  // As where people have gone over to paying by hand, and where nobody ever paid on chain.
  expect(await saidOf({ isPaying: false, lines: 0 })).toMatch(/^good/);
  expect(await saidOf({ words: [] })).toBe('good bridge, ledger: 12 shares, 4.19 Mhashes');
});

it('C8: calls nothing away that only answers late, as on a busy machine', async () => {
  const late = bridge({ ...SUMMARY, ...AWAY });
  const well = bridge(SUMMARY);
  let looks = 0;
  const findings = await said((request, response, body) => {
    if (request.url === summary.path) looks++;
    (looks < 2 ? late : well)(request, response, body);
  });
  expect(findings.filter((line) => !line.startsWith('good'))).toEqual([]);
  expect(looks).toBe(2);
});

it.each<[string, Handler, RegExp]>([
  ['is another program', (_, response) => response.end('hello'), /not valid JSON/],
  ['is another bridge or none', bridge({ version: 1 }), /no bridge of this version/],
  ['has no end', (_, response) => void response.write('['.repeat(2_000_000)), /max size/],
  ['sends elsewhere', (_, response) => response.writeHead(302, { location: 'http://x/' }).end(), /JSON/],
  ['hangs up', (_, response) => void response.destroy(), /closed|hang/],
  ['says nothing', () => {}, /timeout/],
])('C8: where what answers %s, doctor says so and looks for itself', async (_, handler, expected) => {
  const { answers, findings = [] } = (await heard(handler)) ?? {};
  expect(answers).toBe(false);
  expect(findings).toMatchObject([
    { state: 'warning', what: 'bridge, API', detail: expect.stringMatching(expected) },
  ]);
});

it('C8: says that there is no socket, and looks for itself', async () => {
  await using folder = await temporaryFolder();
  expect(await askRunning(folder.path)).toMatchObject({
    answers: false,
    findings: [{ what: 'bridge, API', detail: expect.stringMatching(/ctl\.sock.*ENOENT/) }],
  });
  expect(await askRunning(`/${'x'.repeat(200)}`)).toBeUndefined();
});
