/** What rigs take otherwise than others: by rule, and as transcripts of those that are known. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/core/bytes/bytes.js';
import type { Job } from '../../../src/core/jobs/job.js';
import { type Nonce1, NonceSpace, reversedNonce1, reversedNonce2 } from '../../../src/core/jobs/nonce.js';
import { difficultyOf, targetFromHexBigEndian, targetOf } from '../../../src/core/work/target.js';
import { type AgentRule, quirksOf } from '../../../src/stratum/agents.js';
import { KNOWN_AGENTS } from '../../../src/stratum/settings/known-agents.js';
import { WIRE_TRANSPORTS, type WireRig } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';

const SCRIPTS = new URL('../transcripts/', import.meta.url);
const NONCE1 = 0x0123 as Nonce1;
const RULES: readonly AgentRule[] = [
  { agent: 'OLD', authorizeAnswer: [] },
  { agent: 'deaf', takesReconnect: false, takesMessages: false },
];

const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.txt'));

describe.each(WIRE_TRANSPORTS)('over %s', (transport) => {
  it.each(names)('goes as in %s', async (name) => {
    await using bridge = await startTestBridge({
      shareDifficulty: 'vardiff',
      standsStill: true,
      agents: [...RULES, ...KNOWN_AGENTS],
      randomBytes: (length) => Buffer.from(Array.from({ length }, (_, i) => i)),
    });
    for (let i = 0; i < NONCE1; i++) bridge.nonceSpace.lease(0);
    const rig = await bridge.connect(transport);
    const replay = replayOf(bridge, rig);
    const lines = readFileSync(new URL(name, SCRIPTS), 'utf8').split('\n');
    for (const line of lines) if (line !== '' && !line.startsWith('#')) await replay(line);
    // Whatever else was sent would stand before this answer, or before the end.
    if (lines.includes('* stop')) {
      await rig.untilClosed();
      expect(rig.lines).toHaveLength(lines.filter((line) => line.startsWith('<')).length);
      return;
    }
    rig.send('{"id":"end","method":"mining.ping","params":[]}');
    await replay('< {"id":"end","result":"pong","error":null}');
  });
});

/** Takes one line of a transcript after the other. */
function replayOf(bridge: TestBridge, rig: WireRig): (line: string) => Promise<void> {
  const jobs: Job[] = [];
  const fill = (text: string): string =>
    text
      .replace(/\{header (\d)\}/, (_, number) => toHex(jobOf(number).header))
      .replace(/\{nonce2 (\d)\}/, (_, number) => mine(jobOf(number), NONCE1, jobOf(number).blockTarget))
      .replace(/\{turned nonce2 (\d)\}/, (_, number) => turnedNonce2(jobOf(number)));
  const jobOf = (number: string): Job => jobs[Number(number) - 1] ?? expect.fail(`no work ${number}`);
  let seen = 0;
  return async (line) => {
    const text = fill(line.slice(2));
    if (line === '* stop') void bridge.server.close();
    else if (line.startsWith('* say '))
      await bridge.server.operator.message({ to: 'all', text: line.slice(6) }, 'me');
    else if (line.startsWith('* ')) jobs.push(offer(bridge, text, jobs.length));
    else if (line.startsWith('> ')) rig.send(text);
    else {
      await rig.next();
      expect(rig.lines[seen++]).toBe(text);
    }
  };
}

function offer(bridge: TestBridge, what: string, count: number): Job {
  const difficulty = what.startsWith('easy') ? 1n << 12n : 1n << 100n;
  return bridge.offer({ difficulty, parent: what.endsWith('refreshed') ? count : count + 1, payload: count });
}

/** By a device that puts the parts into the header as they are written: told nonce1, then what it sends. */
function turnedNonce2({ header, blockTarget }: Job): string {
  const told = Buffer.from('2301', 'hex');
  for (let n = 0; ; n++) {
    const nonce2 = Buffer.alloc(6);
    nonce2.writeUIntBE(n, 0, 6);
    const whole = Buffer.concat([header.subarray(0, 278), told, nonce2]);
    const hash = createHash('blake2s256').update(whole).digest().reverse();
    if (Buffer.compare(hash, Buffer.from(blockTarget).reverse()) <= 0) return toHex(nonce2);
  }
}

describe('quirks of an agent', () => {
  const rules: AgentRule[] = [
    { agent: 'Asic/2', floor: 5, note: 'it is newer' },
    { agent: 'asic', floor: 3, powersOfTwo: true, takesMessages: false },
    { agent: '', powersOfTwo: false, alwaysClean: true },
  ];

  it('are those of the first rule that names each, by the beginning of its name in any case', () => {
    expect(quirksOf('ASIC/2.1', rules)).toEqual({
      floor: 5,
      powersOfTwo: true,
      takesMessages: false,
      alwaysClean: true,
    });
    expect(quirksOf('asic/1', rules).floor).toBe(3);
    expect(quirksOf('', rules)).toEqual({ powersOfTwo: false, alwaysClean: true });
    expect(quirksOf('basic', rules.slice(0, 2))).toEqual({});
  });

  it('turn bytes around, and back', () => {
    expect(reversedNonce1(NONCE1)).toBe(0x2301);
    expect(reversedNonce2(0x456789abcdef as never)).toBe(0xefcdab896745);
    expect(reversedNonce2(reversedNonce2(0x0102 as never))).toBe(0x0102);
  });

  it('hold for a rig that names itself only when it is asked', async () => {
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff' });
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', []);
    await rig.request(2, 'mining.extranonce.subscribe', []);
    const { id } = await rig.until(({ method }) => method === 'client.get_version');
    rig.send(JSON.stringify({ id, result: 'kdaminer-v1.0.0', error: null }));
    await rig.request(3, 'mining.authorize', ['a.r', 'x']);
    bridge.offer({ difficulty: 1n << 100n });
    expect(await firstDifficulty(rig)).toBe(1n << 40n);
  });

  it.each([
    ['at or above what the rig chose', 'fd=3e12', 1n << 42n],
    ['at its floor, where it chose less', 'fd=5', 1n << 42n],
  ])('powers of two: %s', async (_how, password, difficulty) => {
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff' });
    bridge.offer({ difficulty: 1n << 100n });
    const rig = await bridge.connect('tcp');
    await rig.request(1, 'mining.subscribe', ['GodMiner/2']);
    await rig.request(2, 'mining.authorize', ['a.r', password]);
    expect(await firstDifficulty(rig)).toBe(difficulty);
  });

  it('powers of two: none below a floor that is none', async () => {
    const agents = [{ agent: '', floor: 1e12, powersOfTwo: true }];
    await using bridge = await startTestBridge({ shareDifficulty: 'vardiff', agents });
    bridge.offer({ difficulty: 1n << 100n });
    const { rig } = await bridge.readyRig('ws');
    expect(await firstDifficulty(rig)).toBe(1n << 40n);
  });

  it.each<[parts: string, turns1: boolean, turns2: boolean]>([
    ['nonce2', false, true],
    ['nonce1', true, false],
    ['nonce1 and nonce2', true, true],
  ])('are named to a rig that has %s the other way round and no rule', async (parts, turns1, turns2) => {
    await using bridge = await startTestBridge({ shareDifficulty: 2000n });
    for (let i = 0; i < NONCE1; i++) bridge.nonceSpace.lease(0);
    const job = bridge.offer({ difficulty: 1n << 100n });
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    await rig.request('modern', 'mining.extranonce.subscribe', []);
    const used = turns1 ? reversedNonce1(nonce1) : nonce1;
    const says = `this rig has the bytes of ${parts} the other way round than stratum.agents says of its agent`;
    for (let i = 0, from = 0; i < 3; i++) {
      const found = mine(job, used, targetOf(2000n), true, from);
      from = Number.parseInt(found, 16) + 1;
      const nonce2 = turns2 ? Buffer.from(found, 'hex').reverse().toString('hex') : found;
      const { error } = await rig.request(`share ${i}`, 'mining.submit', ['a.r', job.id, nonce2]);
      expect([error?.[0], error?.[1] === says]).toEqual([23, i === 2]);
    }
    const { params } = await rig.until(({ method }) => method === 'client.show_message');
    expect(params).toEqual([says]);
  });

  it('a rig that reads nonce1 the other way round comes back by what it was told', async () => {
    await using bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
    bridge.offer({ difficulty: 1n << 100n });
    for (let i = 0; i < NONCE1; i++) bridge.nonceSpace.lease(0);
    const start = async (former: string | null) => {
      const rig = await bridge.connect('tcp');
      await rig.request(1, 'mining.authorize', ['a.r', 'x']);
      const { result } = await rig.request(2, 'mining.subscribe', ['blackminer', former]);
      await rig.until(({ method }) => method === 'mining.notify');
      return { rig, nonce1: (result as unknown[])[1] };
    };
    const { rig, nonce1 } = await start(null);
    expect(nonce1).toBe('2301');
    rig.close();
    await expect.poll(() => bridge.server.resumable, { timeout: 20_000 }).toBe(1);
    expect((await start('2301')).nonce1).toBe('2301');
    expect(bridge.nonceSpace.isLeased(NONCE1)).toBe(true);
  });
});

async function firstDifficulty(rig: WireRig): Promise<bigint> {
  const { params } = await rig.until(({ method }) => method === 'mining.set_target');
  return difficultyOf(targetFromHexBigEndian(String(params?.[0])) ?? expect.fail('no target'));
}
