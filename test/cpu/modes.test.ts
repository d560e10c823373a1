import { describe, expect, it } from 'vitest';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import type { Solution } from '../../src/core/shares/share.js';
import {
  CPU_MODES,
  type CpuMode,
  CpuModeError,
  type CpuModeOptions,
  startCpuMode,
} from '../../src/cpu/modes.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';

const NO_NONCE = { accepted: false, reason: 'stale', detail: '' } as const;

function setUp(mode: CpuMode, more: Partial<CpuModeOptions> = {}) {
  const events = createBridgeEvents();
  const sent: Solution[] = [];
  const submits: string[] = [];
  const ids = { next: 1 };
  const cpu = startCpuMode({
    mode,
    account: 'k:miner',
    threads: 1,
    kernel: 'plain',
    judge: {
      judge: ({ rig }) => {
        submits.push(rig);
        return NO_NONCE;
      },
    },
    nonces: new NonceSpace(1000),
    events,
    clock: { nowMs: () => Date.now() },
    log: SILENT,
    nextSessionId: () => ids.next++,
    threadUrl: THREAD_URL,
    send: (solution) => {
      sent.push(solution);
      events.emit('solutionSettled', solution, 'received', '');
    },
    random: () => 0.5,
    wantChain: () => undefined,
    simulatedHashesPerSecond: 1e6,
    blockDelayMs: 20,
    externalCommand: [process.execPath, '-e', 'process.stdout.write("0000000000000000")'],
    ...more,
  });
  cpu.offerJob(new JobBook(1).add(makeWork({ chainId: 3 }), 'node'));
  return { cpu, sent, submits };
}

describe.each(CPU_MODES.map((mode) => [mode]))('mode %s', (mode) => {
  it('does what its name says with a job, and ends', async () => {
    const { cpu, sent, submits } = setUp(mode);
    cpu.rigsConnected(0);
    if (mode === 'on-demand') await cpu.makeBlocks?.(new Map([[3, 1]]));
    if (mode === 'off') await new Promise((resolve) => setTimeout(resolve, 50));
    else await until('a block', () => sent.length + submits.length > 0);
    const searches = mode === 'always' || mode === 'fallback' || mode === 'external';
    // Those that make blocks by themselves may have made the next one already.
    expect(sent.length > 0).toBe(!searches && mode !== 'off');
    if (mode === 'on-demand') expect(sent).toHaveLength(1);
    expect(submits.length > 0).toBe(searches);
    expect(cpu.makeBlocks !== undefined).toBe(mode === 'on-demand');
    await cpu.close();
  });
});

it.each([
  ['simulation', { simulatedHashesPerSecond: 0 }, 'simulation needs a hash rate above zero, not 0'],
  ['constant-delay', { blockDelayMs: Number.NaN }, 'above zero, not NaN'],
  ['external', { externalCommand: [] }, 'external needs a command'],
] as const)('%s says what it needs: %j', (mode, options, message) => {
  expect(() => setUp(mode, options)).toThrow(CpuModeError);
  expect(() => setUp(mode, options)).toThrow(message);
});
