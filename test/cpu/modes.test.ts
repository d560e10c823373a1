import { describe, expect, it } from 'vitest';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/jobs/job.js';
import type { Solution } from '../../src/core/shares/share.js';
import { CpuModeError, startCpuMode } from '../../src/cpu/modes.js';
import { CPU_MODES, type CpuMode, type CpuOptions } from '../../src/cpu/options.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { cpuOptions } from './options.js';

const NO_NONCE = { accepted: false, reason: 'stale', detail: '' } as const;

function setUp(mode: CpuMode, more: Partial<CpuOptions> = {}) {
  const events = createBridgeEvents();
  const sent: Solution[] = [];
  const submits: string[] = [];
  const judge: CpuOptions['judge'] = {
    judge: ({ rig }) => {
      submits.push(rig);
      return NO_NONCE;
    },
  };
  const send = (solution: Solution): void => {
    sent.push(solution);
    events.emit('solutionSettled', solution, 'received', '');
  };
  const job = new JobBook(1).add(makeWork({ chainId: 3 }), 'node');
  const jobs = { rollJob: () => job };
  const cpu = startCpuMode(cpuOptions({ mode, events, jobs, judge, send, ...more }));
  cpu.offerJob(job);
  return { cpu, sent, submits };
}

describe.each(CPU_MODES.map((mode) => [mode]))('mode %s', (mode) => {
  it('does what its name says with a job, and ends', async () => {
    const { cpu, sent, submits } = setUp(mode);
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
