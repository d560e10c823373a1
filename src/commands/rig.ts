/** `stratum-bridge rig`: a reference rig that connects like a real one and mines with the CPU. */
import { benchmarkKernels } from '../../workers/benchmark.js';
import { chooseKernel } from '../../workers/kernels.js';
import { defaultThreads } from '../../workers/pool.js';
import { ConfigError, loadConfig } from '../config/load.js';
import type { Settings } from '../config/setting.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';
import * as value from '../config/values.js';
import { readVersion } from '../config/version.js';
import { type Rig, type RigStatus, startRig } from '../rig/rig.js';
import { POOL_PROTOCOLS, parsePoolUrl, poolName } from '../rig/wire.js';
import { type Command, type CommandIo, helpText, OK } from './command.js';
import { explained } from './failures.js';
import { createScreen } from './screen.js';
import { watchForStop } from './signals.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';
import { formatHashRate } from './units.js';

const REPORT_MS = 10_000;

export const RIG_SETTINGS = {
  urls: {
    flag: 'url',
    type: value.listOf(value.urlOf(...POOL_PROTOCOLS)),
    default: [],
    shape: 'URL',
    repeatable: true,
    secret: 'url',
    help: 'The pool: ws://host:port or tcp://host:port, also written stratum+tcp:// (wss, tls, ssl, stratum+tls and stratum+ssl with TLS). Several are tried in order.',
  },
  user: {
    flag: 'user',
    type: value.text,
    default: '',
    shape: 'ACCOUNT.RIG',
    help: 'Who is paid, and which rig this is.',
  },
  password: {
    flag: 'password',
    type: value.text,
    default: 'x',
    shape: 'TEXT',
    help: 'Most pools ignore it.',
  },
  tlsInsecure: {
    flag: 'tls-insecure',
    type: value.switchedOn,
    default: false,
    shape: '',
    isSwitch: true,
    help: 'Take any certificate of the pool: only where nobody can get in between.',
  },
  kernel: { ...BRIDGE_SETTINGS['cpu.kernel'], flag: 'kernel' },
  benchmark: {
    flag: 'benchmark',
    type: value.numberFrom(0, 3600),
    default: 0,
    shape: 'SECONDS',
    help: 'Do not mine: measure each kernel for so long on one thread, and print its hash rate.',
  },
  threads: {
    flag: 'threads',
    type: value.integer(0, 1024),
    default: 0,
    shape: 'N',
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  },
  'log.level': BRIDGE_SETTINGS['log.level'],
  'log.format': BRIDGE_SETTINGS['log.format'],
} satisfies Settings;

export const command: Command = {
  summary: 'mine with this CPU for a bridge or pool, as a real rig does',
  help: () =>
    helpText({
      usage: 'rig --url URL --user ACCOUNT.RIG [options]',
      about:
        'Connects over WebSocket or TCP, mines with the CPU, reconnects when the connection is lost.\n' +
        'Shows a live status on a terminal, JSON lines when piped.',
      settings: RIG_SETTINGS,
      examples: [
        'rig --url ws://127.0.0.1:1918 --user k:abc….cellar',
        'rig --url tcp://pool:1917 --user me.1 --threads 4',
      ],
    }),
  async run(argv, io) {
    const { config } = loadConfig(RIG_SETTINGS, { argv });
    if (config.benchmark > 0) return benchmark(config.benchmark, io);
    if (config.urls.length === 0)
      throw new ConfigError(['--url is needed: where the pool is, for example ws://127.0.0.1:1918']);
    if (config.user === '')
      throw new ConfigError(['--user is needed: account.rig, for example k:abc….cellar']);
    const screen = createScreen(config, io);
    const { log } = screen;
    const stop = watchForStop();
    const open = new CloseStack();
    const start = async (): Promise<Rig> => {
      const rig = startRig({
        urls: config.urls,
        user: config.user,
        password: config.password,
        agent: `stratum-bridge-rig/${readVersion()}`,
        threads: config.threads || defaultThreads(),
        kernel: chooseKernel(config.kernel === 'auto' ? undefined : config.kernel, log),
        tlsInsecure: config.tlsInsecure,
        log,
        random: Math.random,
      });
      open.add('rig', () => rig.close());
      return rig;
    };
    const rig = await startUnlessStopped(stop, open, log, () => explained(start));
    if (!rig) return OK;
    screen.show(async () => statusLines(rig.status()));
    const urls = config.urls.map((url) => poolName(parsePoolUrl(url)));
    log.info({ event: 'ready', urls }, 'the rig is starting to mine');
    const report = (): void => log.info({ event: 'status', ...rig.status() }, 'mining');
    const timer = io.stdout.isTTY ? undefined : setInterval(report, REPORT_MS);
    const reason = await stop.asked;
    leaveAfter(STOP_LIMIT_MS, stop, log);
    clearInterval(timer);
    screen.end();
    log.info({ event: 'stopping', reason }, 'stopping');
    await open.close(log);
    report();
    return OK;
  },
};

/** A line for each kernel as soon as it is measured. */
async function benchmark(seconds: number, { stdout }: CommandIo): Promise<number> {
  for await (const speed of benchmarkKernels(seconds)) {
    if (stdout.errored) break; // nobody reads on
    const { kernel, hashesPerSecond, fault } = speed;
    const text = `${kernel.padEnd(7)} ${hashesPerSecond === undefined ? fault : formatHashRate(hashesPerSecond)}`;
    stdout.write(`${stdout.isTTY ? text : JSON.stringify(speed)}\n`);
  }
  return OK;
}

function statusLines(status: RigStatus): string[] {
  const total = status.hashesPerSecond.reduce((sum, rate) => sum + rate, 0);
  const threads = status.hashesPerSecond.map(formatHashRate).join(', ');
  const { job, submits } = status;
  const { accepted, rejected, unanswered, reasons } = submits;
  return [
    `  ${status.state}${status.url ? ` at ${status.url}` : ''}, nonce1 ${status.nonce1 || 'none yet'}`,
    `  hash rate  ${formatHashRate(total)}  (threads: ${threads})`,
    `  job        ${job ? `${job.id}: chain ${job.chainId}, height ${job.height}` : 'none yet'}`,
    `  submits    accepted ${accepted}  rejected ${rejected}  unanswered ${unanswered}`,
    ...reasons.map((reason) => `             ${JSON.stringify(reason)}`),
  ];
}
