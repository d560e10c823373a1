/**
 * A service with three parts, run by the host as a process of its own: `node little-service.js FILE`. The file says how it
 * behaves. What a test has to wait for, or to let go on, stands in the file's folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runLine } from '../../../src/cli/line/run.js';
import type { ScreenConfig } from '../../../src/cli/screen/screen.js';
import { type Running, runService, type Service } from '../../../src/cli/service/host.js';
import { forgiveClosedOutput, leaveOnSignals } from '../../../src/cli/service/signals.js';
import { type CloseStack, STOP_LIMIT_MS } from '../../../src/cli/service/stop.js';
import { ConfigError } from '../../../src/config/layers/config-error.js';
import type { Log } from '../../../src/core/names/log.js';
import { until } from '../../helpers/until.js';

export interface LittleConfig extends ScreenConfig {
  /** What reading the settings says is wrong. */
  readonly faults: readonly string[];
  /** What the check says. */
  readonly problems: readonly string[];
  /** Can change while running. */
  readonly live: number;
  readonly fixed: number;
  /** The part that waits at its start for `go-N`, fails at it, or does not close. */
  readonly waits: number;
  readonly fails: number;
  readonly sticks: number;
  /** It reads what nobody writes. */
  readonly hangs: boolean;
  readonly stopLimitMs: number;
  /** Each reload waits for `apply-N`, N counting from 1. */
  readonly slowReload: boolean;
  /** One part ends by itself once this file is there. */
  readonly endsBy: string;
}

const DEFAULTS: LittleConfig = {
  'log.level': 'debug',
  'log.format': 'json',
  'log.file': '',
  faults: [],
  problems: [],
  live: 1,
  fixed: 1,
  waits: 0,
  fails: 0,
  sticks: 0,
  hangs: false,
  stopLimitMs: STOP_LIMIT_MS,
  slowReload: false,
  endsBy: '',
};

const PARTS = [1, 2, 3];
const [file = ''] = process.argv.slice(2);
const beside = (name: string): string => join(dirname(file), name);
const isThere = (name: string) => until(name, () => existsSync(beside(name)));

function read(): LittleConfig {
  return { ...DEFAULTS, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<LittleConfig>) };
}

async function load(): Promise<{ config: LittleConfig }> {
  const config = read();
  if (config.faults.length > 0) throw new ConfigError(config.faults);
  return { config };
}

async function startPart(part: number, config: LittleConfig, log: Log, open: CloseStack): Promise<void> {
  log.info({ event: 'part', part }, 'a part starts');
  if (config.waits === part) await isThere(`go-${part}`);
  if (config.fails === part) throw new Error(`part ${part} has failed`);
  open.add(`part ${part}`, async () => {
    if (config.sticks === part) await isThere('never');
    writeFileSync(beside(`closed-${part}`), '');
  });
}

function running(config: LittleConfig, log: Log): Running<LittleConfig> {
  let reloads = 0;
  return {
    ready: { says: 'all parts are up', fields: { parts: PARTS.length } },
    ...(config.endsBy ? { ended: isThere(config.endsBy).then(() => 'a part has ended') } : {}),
    async applyLive({ live }) {
      const count = ++reloads;
      log.info({ event: 'applying', count, live }, 'applying');
      if (config.slowReload) await isThere(`apply-${count}`);
      return ['live'];
    },
  };
}

const service: Service<{ config: LittleConfig }> = {
  check: ({ config }) => config.problems,
  async start({ config }, log, open) {
    // As the sockets of a real one do.
    const alive = setInterval(() => {}, 1_000);
    open.add('life', () => clearInterval(alive));
    for (const part of PARTS) await startPart(part, config, log, open);
    if (config.hangs) {
      execFileSync('mkfifo', [beside('nobody')]);
      void openFile(beside('nobody'));
    }
    return running(config, log);
  },
};

leaveOnSignals();
forgiveClosedOutput();
if (existsSync(beside('early'))) {
  process.stdout.write('{"event":"early"}\n');
  await isThere('go-early');
}
const { stopLimitMs } = read();
const root = {
  summary: '',
  commands: {
    little: { summary: '', run: () => runService({ io: process, load }, service, stopLimitMs) },
  },
};
process.exitCode = await runLine({ root, version: 'test' }, ['little'], process);
if (process.connected) process.disconnect();
