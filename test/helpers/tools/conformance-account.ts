/** The account of the interface: each statement, where it is served, spoken and tested. Made of the table and of the tests' titles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINT_KEYS, ENDPOINTS, type EndpointKey } from '../../../src/chain/endpoints.js';
import { ROOT } from '../web/pages.js';

/** What is no endpoint: section, statement, file of the development node, file of the client or of what both share, titles of its tests. */
const STATEMENTS: readonly Row[] = [
  ['1', 'three headers on every answer', 'devnode/http/app.ts', 'node-client/asking/facts.ts', /^1\b/],
  ['2', 'pages: items, limit, next', 'devnode/http/paging.ts', 'chain/paging.ts', /collection page/],
  ['2', 'block header', 'chain/encode.ts', 'chain/models.ts', /^2 block header/],
  ['2', 'payloads', 'chain/encode.ts', 'chain/models.ts', /^2 payloads/],
  ['2', 'full block', 'devnode/http/routes/chain-routes.ts', 'chain/models.ts', /full block/],
  ['2', 'cut and peers', 'devnode/http/routes/cut-routes.ts', 'chain/models.ts', /^2 cut and peers/],
  ['2', 'miner', 'devnode/http/table.ts', 'chain/models.ts', /miner information|predicate/],
  ['2', 'mempool lookup result', 'devnode/http/routes/mempool-routes.ts', 'chain/models.ts', /Pending with/],
  ['2', 'not-found body', 'devnode/http/errors.ts', 'node-client/asking/failures.ts', /not-found|with key/],
  ['3', 'states of backups', 'devnode/storage/backups.ts', 'node-client/parts/maintenance-client.ts', /job/],
  [
    '4.3',
    'three encodings, chosen by `accept`',
    'devnode/http/accept.ts',
    'chain/endpoints.ts',
    /Accept|encodings/,
  ],
  [
    '5',
    'what is switched off does not exist',
    'devnode/http/table.ts',
    'node-client/asking/advice.ts',
    /5 availability/,
  ],
  [
    '6',
    'events, and streams that end',
    'devnode/http/streams.ts',
    'node-client/streams/event-stream.ts',
    /^6/,
  ],
  ['7', 'errors', 'devnode/http/errors.ts', 'node-client/asking/failures.ts', /^7 errors|\b7:/],
  ['8', 'limits', 'chain/endpoints.ts', 'chain/parameters.ts', /^8 limits|\b8:/],
  ['9', 'versions', 'devnode/http/routes/maintenance-routes.ts', 'node-client/asking/address.ts', /^9 /],
];
type Row = readonly [section: string, what: string, served: string, spoken: string, titles: RegExp];
/** Titles of tests of one endpoint, where not all of its section are. */
const TITLES: Readonly<Partial<Record<EndpointKey, RegExp>>> = {
  ...{ cut: /^2 cut and peers/, putCut: /^2 cut and peers.*origin/, cutPeers: /peer information/ },
  ...{ pending: /getPending/, member: /member/, lookup: /lookup/, insert: /insert/ },
  ...{ work: /GET \/mining\/work|: work is/, solved: /POST \/mining\/solved/ },
  ...{ miningUpdates: /\/mining\/updates|mining\/updates/, startBackup: /^4\.7 backups/, backupState: /job/ },
  ...{ healthCheck: /health-check is/, info: /\/info/, config: /config is/ },
  ...{ send: /T: send/, poll: /T: poll/, listen: /T: listen/, local: /T: local/, spv: /T: spv/ },
  ...{ headerUpdates: /^6/, blockUpdates: /^6/, addCutPeer: /^8 limits.*peer port/ },
};
const CONFORMANCE = 'test/conformance';
const ROUTES = 'src/devnode/http/routes';
const CLIENT = 'src/node-client';
/** Beside statements that the interface does not show: real nodes alone say what these do. */
const SHOWN_BY_REAL_NODES = 'chainweb/chainweb-node.test.ts';

/** Rows of section, statement, served by, spoken by, and how many tests say so where. */
export function accountOfInterface(): string[][] {
  const tests = testsOfStatements();
  const rows = [...ENDPOINT_KEYS.map(endpointRow), ...STATEMENTS];
  rows.sort(([a], [b]) => a.localeCompare(b));
  return rows.map(([section, what, served, spoken, titles]) => {
    const counts = new Map<string, number>();
    for (const { file, name } of tests) if (titles.test(name)) counts.set(file, (counts.get(file) ?? 0) + 1);
    if (counts.size === 0 && section === 'D') counts.set(SHOWN_BY_REAL_NODES, 0);
    if (counts.size === 0) throw new Error(`no test names section ${section}: ${what}`);
    const shown = [...counts].map(([file, count]) => link(`${CONFORMANCE}/${file}`, count));
    return [section, what, link(served), link(spoken), shown.join(', ')];
  });
}

function endpointRow(key: EndpointKey): Row {
  const { method, path, section } = ENDPOINTS[key];
  const served = fileWith(ROUTES, new RegExp(`^  ${key}[:,]`, 'm'));
  const spoken = fileWith(CLIENT, new RegExp(`ENDPOINTS\\.${key}\\b`));
  const ofSection = section === 'D' ? /^$/ : new RegExp(`(^| )${section.replace('.', '\\.')}\\b`);
  return [section, `\`${method} ${path}\``, served, spoken, TITLES[key] ?? ofSection];
}

function fileWith(folder: string, pattern: RegExp): string {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const found = files.find((name) => pattern.test(readFileSync(join(ROOT, folder, name), 'utf8')));
  if (found === undefined) throw new Error(`no file of ${folder} has ${pattern}`);
  return `${folder.replace(/^src\//, '')}/${found}`;
}

/** Each test by the title of its group and its own. */
function testsOfStatements(): { readonly file: string; readonly name: string }[] {
  const files = readdirSync(join(ROOT, CONFORMANCE)).filter((name) =>
    /^(?!chainweb).*\.test\.ts$/.test(name),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(ROOT, CONFORMANCE, file), 'utf8');
    let group = '';
    return [...text.matchAll(/(describe|it|\))\(\s*'([^'\n]+)'/g)].flatMap(([, kind, title = '']) => {
      if (kind !== 'describe') return [{ file, name: `${group} | ${title}` }];
      group = title;
      return [];
    });
  });
}

/** From the page of the development node. */
function link(path: string, count?: number): string {
  const name = path
    .split('/')
    .at(-1)
    ?.replace(/\.test\.ts$/, '');
  const from = path.startsWith('test/')
    ? `../../${path}`
    : path.replace(/^devnode\//, '').replace(/^(chain|node-client)\//, '../$1/');
  return `[${name}](${from})${count ? ` ${count}` : ''}`;
}
