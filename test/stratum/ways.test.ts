/** The ways of a submit and of a job pass few files: whoever follows them reads no more than these. */
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Difficulty, targetOf } from '../../src/core/work/target.js';
import { mine, startTestBridge } from '../helpers/stories/stratum-bridge.js';

const ROOT = join(import.meta.dirname, '../..');

/** Files of ours that call one another at this moment, the first caller first. */
function filesOnTheWay(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('where am I?');
  Error.stackTraceLimit = stackTraceLimit;
  const files = [...stack.matchAll(/(?:\(|at |file:\/\/)([^\s()]+\/src\/[^\s():]+\.ts)/g)];
  const ours = files.map(([, file = '']) => file.replace('file://', '').replace(`${ROOT}/`, ''));
  return [...new Set(ours.reverse())];
}

describe('the way', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(['tcp', 'ws'] as const)('of a submit over %s from its socket to the judge', async (transport) => {
    await using bridge = await startTestBridge();
    const job = bridge.offer({});
    const { rig, nonce1 } = await bridge.readyRig(transport);
    let way: string[] = [];
    const { judge } = bridge.judge;
    vi.spyOn(bridge.judge, 'judge').mockImplementation((submit) => {
      way = filesOnTheWay();
      return judge(submit);
    });
    await rig.request(3, 'mining.submit', ['a.r', job.id, mine(job, nonce1, targetOf(4n as Difficulty))]);
    expect(way[0]).toBe(`src/stratum/admission/${transport}.ts`);
    expect(way.at(-1)).toBe('src/stratum/session/submits.ts');
    expect(way.length).toBeLessThanOrEqual(8);
  });

  it.each(['tcp', 'ws'] as const)('of a job from the dispatcher to a socket of %s', async (transport) => {
    await using bridge = await startTestBridge();
    bridge.offer({});
    await bridge.readyRig(transport);
    const ways: string[][] = [];
    const { write } = Socket.prototype;
    vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...args) {
      ways.push(filesOnTheWay());
      return (write as (...given: unknown[]) => boolean).apply(this, args);
    });
    bridge.offer({ parent: 2 });
    const way = ways.find(([first]) => first === 'src/bridge/dispatcher.ts') ?? [];
    expect(way).toContain(`src/stratum/admission/${transport}.ts`);
    expect(way.at(-1)).toBe('src/stratum/admission/connection.ts');
    expect(way.length).toBeLessThanOrEqual(8);
  });
});
