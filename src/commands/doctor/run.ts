import type { Finding } from '../../assembly/finding.js';
import { checkOpenFiles } from '../../assembly/rigs/open-files.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import type { BridgeSettings } from '../../config/settings.js';
import { printable } from '../../core/names/names.js';
import { checkBooks, checkDataDir } from './books.js';
import {
  checkKernel,
  checkKeyFiles,
  checkLineFiles,
  checkNodes,
  checkPorts,
  checkWeb,
  runningBridge,
} from './checks.js';
import { checkPayer } from './payer.js';
import { askRunning } from './running.js';
import { settingsOfRunning } from './settings.js';

export async function run({ io, flags, load }: Asked<BridgeSettings>): Promise<number> {
  const said = await load();
  const running = runningBridge(said.config.dataDir);
  const inForce = running ? await settingsOfRunning({ flags, io }, said) : undefined;
  const { loaded, hidden } = inForce ?? { loaded: said, hidden: [] };
  const { config } = loaded;
  const told = running ? await askRunning(config.dataDir) : undefined;
  // A bridge that answers has an account; that of a demo stands in no setting.
  const setup = await checkSetup(loaded, !told?.answers || config['miner.account'] !== '');
  const { miner } = setup;
  const problems = setup.problems.filter((problem) => !hidden.some((key) => problem.startsWith(key)));
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (io.stdout.isTTY) io.stdout.write(found.map(asText).join(''));
  };
  report(problems.map((detail): Finding => ({ state: 'fault', what: 'settings', detail })));
  if (running) report([{ state: 'good', what: 'bridge', detail: running }]);
  if (inForce) report([inForce.finding]);
  if (told) report(told.findings);
  // Without its certificates no node can be asked.
  const mayAsk = !problems.some((problem) => problem.startsWith('node.ca:'));
  if (miner && mayAsk && !told?.answers) report(await checkNodes(config, miner));
  report(await checkPorts(config, running !== undefined));
  report(checkWeb(config));
  report(await checkPayer(config));
  report([await checkDataDir(loaded), ...checkLineFiles(config), ...checkKeyFiles(config)]);
  if (!hidden.some((key) => key === 'ledger.databaseUrl' || key === 'queue.redisUrl'))
    report(await checkBooks(loaded));
  report([checkKernel(config), checkOpenFiles(config)]);
  const works = findings.every((finding) => finding.state !== 'fault');
  if (io.stdout.isTTY) io.stdout.write(verdict(findings, running !== undefined));
  else io.stdout.write(`${JSON.stringify({ works, findings }, null, 2)}\n`);
  return works ? OK : FAILED;
}

function verdict(findings: readonly Finding[], isRunning: boolean): string {
  const has = (wanted: Finding['state']): boolean => findings.some(({ state }) => state === wanted);
  if (has('fault'))
    return isRunning ? '\nA bridge runs here, and something is wrong.\n' : '\nMining would not work yet.\n';
  if (!isRunning) return '\nMining would work.\n';
  return has('warning')
    ? '\nA bridge runs here. What is marked warn is worth a look.\n'
    : '\nA bridge runs here, and nothing is wrong.\n';
}

const SIGN = { good: 'ok   ', warning: 'warn ', fault: 'FAULT' };

function asText({ state, what, detail, advice }: Finding): string {
  // Nodes, and what answers in the place of a bridge, are not to command a terminal.
  const line = `${SIGN[state]}  ${printable(`${what}: ${detail}`)}\n`;
  return advice ? `${line}       -> ${advice}\n` : line;
}
