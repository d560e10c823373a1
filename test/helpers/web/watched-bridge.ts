/** A real bridge that a real Prometheus watches. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startPrometheus, type TestPrometheus } from '../alerts/prometheus.js';
import { createDatabase, startTestPostgres } from '../books/postgres.js';
import { temporaryFolder } from '../folder.js';
import { startProgram } from '../processes/program.js';
import { measureHashes } from '../rigs/measured-hashes.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;

/**
 * Node, database, bridge, rig, and a Prometheus that looks each second.
 *
 * @param open gets each part as it comes up, to be ended in the reverse order.
 * @param prometheusFolder has `prometheus.yml` and the rules that it names.
 */
const TOKEN = 'read-'.repeat(4);

export async function startWatched(
  open: AsyncDisposable[],
  prometheusFolder: string,
): Promise<{ prometheus: TestPrometheus; web: string }> {
  const keep = <T extends AsyncDisposable>(part: T): T => {
    open.push(part);
    return part;
  };
  const folder = keep(await temporaryFolder());
  const postgres = await startTestPostgres();
  open.push({ [Symbol.asyncDispose]: () => postgres.close() });
  const hashesIn = measureHashes();
  const ease = ['--genesis-difficulty', hashesIn(0.5), '--block-delay', '5000ms'];
  const node = keep(startProgram(['node', '--mining', '--listen', '127.0.0.1:0', ...ease]));
  const { url } = await node.ready();
  const settings = [
    ...[
      '--node-urls',
      String(url),
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      '--cpu-mode',
      'off',
    ],
    ...[
      '--stratum-tcp',
      '127.0.0.1:0',
      '--stratum-ws',
      'off',
      '--web-listen',
      '127.0.0.1:0',
      '--stratum-share-difficulty',
      hashesIn(0.1),
    ],
    ...['--ledger-database-url', await createDatabase(postgres)],
  ];
  const tokenFile = join(folder.path, 'web-read-token');
  await writeFile(tokenFile, `${TOKEN}\n`);
  const tokens = { prometheus: { access: 'read', secret: TOKEN } };
  const env = { STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify(tokens) };
  const bridge = keep(startProgram(['serve', ...settings], env));
  const { tcp, web } = await bridge.ready();
  const rig = ['rig', '--urls', `tcp://${tcp}`, '--user', `${ACCOUNT}.one`, '--threads', '1'];
  keep(startProgram(rig));
  const config = join(folder.path, 'prometheus.yml');
  await writeFile(config, await watching(prometheusFolder, new URL(String(web)).host, tokenFile));
  return { prometheus: keep(await startPrometheus(config, folder.path)), web: String(web) };
}

/** That prometheus.yml, of this bridge and in a hurry; the bridge refuses a wrong token even here. */
async function watching(folder: string, target: string, tokenFile: string): Promise<string> {
  const config = parse(await readFile(join(folder, 'prometheus.yml'), 'utf8'));
  config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
  config.rule_files = [join(folder, config.rule_files[0])];
  const [scrape] = config.scrape_configs;
  scrape.static_configs[0].targets = [target];
  scrape.authorization.credentials_file = tokenFile;
  return JSON.stringify(config);
}
