/** `stratum-bridge doctor`: would mining work with these settings, and if not, what is to be done. */
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { type Command, FAILED, helpText, loadBridgeConfig, OK } from './command.js';
import { checkBooks, checkDataDir } from './doctor-books.js';
import { checkKernel, checkNodes, checkPorts, type Finding, runningBridge } from './doctor-checks.js';
import { checkOpenFiles } from './open-files.js';
import { checkSetup } from './setup-checks.js';

export const command: Command = {
  summary: 'check a setup and say in words what to do about each fault',
  help: () =>
    helpText({
      usage: 'doctor [settings]',
      about:
        'Asks the nodes for work as the bridge would, tries the ports, the data directory, the database and the queue.\n' +
        'Makes nothing. Exit code 0 only if mining would work. JSON when piped. Works beside a running bridge.',
      settings: BRIDGE_SETTINGS,
      withKeys: true,
      examples: ['doctor --node http://127.0.0.1:1848 --account k:…', 'doctor --config bridge.yaml'],
    }),
  async run(argv, io) {
    const loaded = loadBridgeConfig(argv, io);
    const { config } = loaded;
    const { miner, problems } = checkSetup(loaded);
    const findings: Finding[] = [];
    const report = (found: readonly Finding[]): void => {
      findings.push(...found);
      if (io.stdout.isTTY) io.stdout.write(found.map(asText).join(''));
    };
    report(problems.map((detail): Finding => ({ state: 'fault', what: 'settings', detail })));
    // Without its certificates no node can be asked.
    const mayAsk = !problems.some((problem) => problem.startsWith('node.ca:'));
    if (miner && mayAsk) report(await checkNodes(config, miner));
    const running = await runningBridge(config.dataDir);
    if (running) report([{ state: 'good', what: 'bridge', detail: running }]);
    report(await checkPorts(config, running !== undefined));
    report([await checkDataDir(loaded)]);
    report(await checkBooks(loaded));
    report([checkKernel(config), checkOpenFiles(config)]);
    const works = findings.every((finding) => finding.state !== 'fault');
    if (io.stdout.isTTY) io.stdout.write(verdict(works, running !== undefined));
    else io.stdout.write(`${JSON.stringify({ works, findings }, null, 2)}\n`);
    return works ? OK : FAILED;
  },
};

function verdict(works: boolean, isRunning: boolean): string {
  if (!works) return '\nMining would not work yet.\n';
  return isRunning ? '\nA bridge runs here, and nothing is wrong.\n' : '\nMining would work.\n';
}

const SIGN = { good: 'ok   ', warning: 'warn ', fault: 'FAULT' };

function asText({ state, what, detail, advice }: Finding): string {
  const line = `${SIGN[state]}  ${what}: ${detail}\n`;
  return advice ? `${line}       -> ${advice}\n` : line;
}
