import { chooseKernel } from '../../../workers/kernels.js';
import { defaultThreads } from '../../../workers/pool.js';
import { explained } from '../../assembly/failures.js';
import type { Asked } from '../../cli/line/command.js';
import { type Running, runService } from '../../cli/service/host.js';
import type { CloseStack } from '../../cli/service/stop.js';
import { readVersion } from '../../config/version.js';
import type { Log } from '../../core/names/log.js';
import { Rig } from '../../rig/rig.js';
import { parsePoolUrl, poolName } from '../../rig/wire.js';
import type { ConfigOf } from '../../values/setting.js';
import { benchmark } from './benchmark.js';
import type { RIG_COMMAND_SETTINGS } from './settings.js';
import { openRigLog } from './share-log.js';
import { statusLines } from './status.js';

type RigConfig = ConfigOf<typeof RIG_COMMAND_SETTINGS>;

const REPORT_MS = 10_000;

export async function run(asked: Asked<typeof RIG_COMMAND_SETTINGS>): Promise<number> {
  const { io } = asked;
  const { config } = await asked.load();
  if (config.benchmark > 0) return benchmark(config.benchmark / 1000, io);
  return runService(asked, {
    check,
    start: ({ config }, log, open) => explained(async () => startMining(config, log, open, io.stdout.isTTY)),
  });
}

function check({ config }: { config: RigConfig }): string[] {
  return [
    ...(config['rig.urls'].length > 0
      ? []
      : ['--urls is needed: where the pool is, for example ws://127.0.0.1:1918']),
    ...(config['rig.user'] !== '' ? [] : ['--user is needed: account.rig, for example k:abc….cellar']),
  ];
}

/** @param isWatched on a live screen: otherwise a line now and then says how it goes. */
async function startMining(
  config: RigConfig,
  log: Log,
  open: CloseStack,
  isWatched: boolean,
): Promise<Running<RigConfig>> {
  const path = config['rig.log'];
  const shares = path === '' ? undefined : await openRigLog(path, log);
  if (shares) open.add('log of shares', () => shares.close());
  const rig = new Rig({
    urls: config['rig.urls'],
    user: config['rig.user'],
    password: config['rig.password'],
    agent: `stratum-bridge-rig/${readVersion()}`,
    threads: config['rig.threads'] || defaultThreads(),
    kernel: chooseKernel(config['rig.kernel'] === 'auto' ? undefined : config['rig.kernel'], log).name,
    tlsInsecure: config['rig.insecure'],
    log,
    random: Math.random,
    ...(shares && { answered: (job, answer) => shares.add(job, answer) }),
  });
  const report = (): void => log.info({ event: 'status', ...rig.status() }, 'mining');
  open.add('last report', report);
  open.add('rig', () => rig.close());
  const timer = isWatched ? undefined : setInterval(report, REPORT_MS);
  open.add('report timer', () => clearInterval(timer));
  const urls = config['rig.urls'].map((url) => poolName(parsePoolUrl(url)));
  return {
    ready: { says: 'the rig is starting to mine', fields: { urls } },
    status: async () => statusLines(rig.status()),
  };
}
