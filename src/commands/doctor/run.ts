import type { Finding } from '../../assembly/finding.js';
import { checkOpenFiles } from '../../assembly/rigs/open-files.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import type { BridgeSettings } from '../../config/settings/settings.js';
import { printable } from '../../core/names/names.js';
import { checkBooks, checkDataDir } from './books.js';
import { checkKernel, checkLineFiles, checkNodes, checkPorts, checkWeb, runningBridge } from './checks.js';
import { checkWhoPays } from './payouts.js';
import { askRunning } from './running.js';

export async function run({ io, load }: Asked<BridgeSettings>): Promise<number> {
  const loaded = await load();
  const { config } = loaded;
  const { miner, problems } = await checkSetup(loaded);
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (io.stdout.isTTY) io.stdout.write(found.map(asText).join(''));
  };
  report(problems.map((detail): Finding => ({ state: 'fault', what: 'settings', detail })));
  const running = await runningBridge(config.dataDir);
  if (running) report([{ state: 'good', what: 'bridge', detail: running }]);
  const told = running ? await askRunning(config) : undefined;
  if (told) report(told.findings);
  // Without its certificates no node can be asked.
  const mayAsk = !problems.some((problem) => problem.startsWith('node.ca:'));
  if (miner && mayAsk && !told?.answers) report(await checkNodes(config, miner));
  report(await checkPorts(config, running !== undefined));
  report(checkWeb(config));
  report([await checkDataDir(loaded), ...checkLineFiles(config)]);
  report(await checkWhoPays(config, problems));
  report(await checkBooks(loaded));
  report([checkKernel(config), checkOpenFiles(config)]);
  const works = findings.every((finding) => finding.state !== 'fault');
  if (io.stdout.isTTY) io.stdout.write(verdict(works, running !== undefined));
  else io.stdout.write(`${JSON.stringify({ works, findings }, null, 2)}\n`);
  return works ? OK : FAILED;
}

function verdict(works: boolean, isRunning: boolean): string {
  if (!works)
    return isRunning ? '\nA bridge runs here, and something is wrong.\n' : '\nMining would not work yet.\n';
  return isRunning ? '\nA bridge runs here, and nothing is wrong.\n' : '\nMining would work.\n';
}

const SIGN = { good: 'ok   ', warning: 'warn ', fault: 'FAULT' };

function asText({ state, what, detail, advice }: Finding): string {
  // Nodes, and what answers in the place of a bridge, are not to command a terminal.
  const line = `${SIGN[state]}  ${printable(`${what}: ${detail}`)}\n`;
  return advice ? `${line}       -> ${advice}\n` : line;
}
