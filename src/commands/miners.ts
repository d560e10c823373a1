/** What makes blocks in this process, by `cpu.mode`: CPU threads, a command of the operator's, or no search at all. */
import { chooseKernel, kernelAdvice } from '../../workers/kernels.js';
import { defaultThreads } from '../../workers/pool.js';
import type { BridgeEvents } from '../bridge/events.js';
import type { Clock, JobSink, Judge } from '../bridge/ports.js';
import { ConfigError } from '../config/load.js';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/log.js';
import type { NonceSpace } from '../core/nonce.js';
import type { Solution } from '../core/share.js';
import type { BlockMaker, BlockMakerParts } from '../cpu/block-maker.js';
import { startCpu } from '../cpu/cpu.js';
import { startExternal } from '../cpu/external.js';
import { MakeBlocksError, type OnDemand, parseBlockCounts, startOnDemand } from '../cpu/on-demand.js';
import { startConstantDelay, startSimulation } from '../cpu/timed-makers.js';
import type { Answer } from '../web/server.js';

export interface MinersParts {
  readonly account: string;
  readonly judge: Judge;
  readonly nonces: NonceSpace;
  readonly events: BridgeEvents;
  readonly clock: Clock;
  readonly log: Log;
  readonly sendSolution: (solution: Solution) => void;
  readonly wantChain: (chainId: number) => void;
  nextSessionId(): number;
}

export interface Miners {
  readonly sink: JobSink;
  /** Only `fallback` cares. */
  rigsConnected(count: number): void;
  /** What the threads measure themselves. */
  hashesPerSecond(): number;
  /** `POST /make-blocks`; only in mode on-demand. */
  readonly makeBlocks?: (body: unknown) => Promise<Answer>;
  close(): Promise<void>;
}

export function startMiners(config: BridgeConfig, parts: MinersParts): Miners {
  const { account, clock, log, sendSolution: send } = parts;
  const maker: BlockMakerParts = { account, send, clock, log };
  switch (config['cpu.mode']) {
    case 'simulation':
      return fromMaker(
        startSimulation({ ...maker, hashesPerSecond: config['cpu.hashRate'], random: Math.random }),
      );
    case 'constant-delay':
      return fromMaker(startConstantDelay({ ...maker, delayMs: config['cpu.blockDelayMs'] }));
    case 'on-demand': {
      const { events, wantChain } = parts;
      const onDemand = startOnDemand({ ...maker, events, wantChain });
      return { ...fromMaker(onDemand), makeBlocks: (body) => makeBlocks(onDemand, body) };
    }
    case 'external':
      return fromMaker(startExternal({ account, judge: parts.judge, log, command: commandOf(config) }));
    default:
      return startThreads(config['cpu.mode'], config, parts);
  }
}

function fromMaker(maker: BlockMaker): Miners {
  return {
    sink: maker,
    rigsConnected: () => {},
    hashesPerSecond: () => 0,
    close: () => maker.close(),
  };
}

function startThreads(mode: 'always' | 'fallback' | 'off', config: BridgeConfig, parts: MinersParts): Miners {
  const forced = config['cpu.kernel'];
  const kernel = mode === 'off' ? 'plain' : chooseKernel(forced === 'auto' ? undefined : forced, parts.log);
  const advice = mode === 'off' ? undefined : kernelAdvice(kernel);
  if (advice) parts.log.info({ kernel }, advice);
  const cpu = startCpu({ ...parts, mode, kernel, threads: config['cpu.threads'] || defaultThreads() });
  return {
    sink: cpu,
    rigsConnected: (count) => cpu.rigsConnected(count),
    hashesPerSecond: () => cpu.hashesPerSecond().reduce((sum, rate) => sum + rate, 0),
    close: () => cpu.close(),
  };
}

function commandOf(config: BridgeConfig): readonly [program: string, ...args: string[]] {
  const [program, ...args] = config['cpu.command'];
  if (program === undefined)
    throw new ConfigError(['cpu.command is empty: cpu.mode external needs a command to run']);
  return [program, ...args];
}

const STATUS_OF: Readonly<Record<MakeBlocksError['code'], number>> = {
  'bad-request': 400,
  busy: 429,
  refused: 502,
  'no-work': 503,
};

async function makeBlocks(onDemand: OnDemand, body: unknown): Promise<Answer> {
  try {
    const counts = parseBlockCounts(body);
    await onDemand.makeBlocks(counts);
    return { status: 200, body: { made: Object.fromEntries(counts) } };
  } catch (error) {
    if (!(error instanceof MakeBlocksError)) throw error;
    const { code, message, made } = error;
    return { status: STATUS_OF[code], body: { error: message, code, made: Object.fromEntries(made) } };
  }
}
