/** Who gets a connection where all are taken or the address is banned, and what is said of it. */
import { describe, expect, it } from 'vitest';
import { nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { targetOf } from '../../../src/core/work/target.js';
import { WIRE_TRANSPORTS } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridgeOptions } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const HARD = { difficulty: 1n << 100n };
/** A dozen shares of ten seconds each. */
const SILENT_MS = 121_000;

interface Line {
  readonly event?: string;
  readonly text: string;
}

async function fullOf(connections: number, options: TestBridgeOptions = {}) {
  const lines: Line[] = [];
  const log = {
    ...SILENT,
    warn: (fields: object, text: string) => void lines.push({ ...fields, text }),
  } as Log;
  const bridge = await startTestBridge({
    shareDifficulty: 'vardiff',
    vardiff: { startDifficulty: 4, minDifficulty: 1 },
    standsStill: true,
    log,
    ...options,
    limits: { connections, ...options.limits },
  });
  const job = bridge.offer(HARD);
  let rigs = 0;
  let from = 0;
  const come = async (end = 1) => {
    const login = `a.r${++rigs}`;
    const rig = await bridge.connect('tcp', { localAddress: `127.0.0.${end}` });
    const { result } = await rig.request(1, 'mining.subscribe', ['test/1', null]);
    await rig.request(2, 'mining.authorize', [login, 'x']);
    const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail();
    const share = async (): Promise<void> => {
      const nonce2 = mine(job, nonce1, targetOf(4n), true, from);
      from = Number.parseInt(nonce2, 16) + 1;
      const { result: answer } = await rig.request(`${from}`, 'mining.submit', [login, job.id, nonce2]);
      expect(answer).toBe(true);
    };
    return { rig, share };
  };
  /** Who is there is looked at once a second. */
  const comeAtLast = async (end: number) => {
    let came: Awaited<ReturnType<typeof come>> | undefined;
    await until('there is a place', async () => {
      came = await come(end).catch(() => undefined);
      return came !== undefined;
    });
    return came ?? expect.fail();
  };
  return { bridge, come, comeAtLast, lines };
}

describe('where all connections are taken', () => {
  it('ST4: a session without a share goes first, for whoever comes', async () => {
    const { bridge, come, comeAtLast, lines } = await fullOf(3);
    await using _ = bridge;
    const stranger = await come();
    const good = await come();
    const another = await come();
    await good.share();
    bridge.skewMs += SILENT_MS;
    await good.share();
    for (const end of [2, 3]) await comeAtLast(end);
    for (const { rig } of [stranger, another]) await rig.untilClosed();
    expect(bridge.closings).toEqual(
      Array(2).fill('all connections are taken, and this one has had no share for long'),
    );
    // Who is new has time for a share.
    const last = await bridge.connect('tcp', { localAddress: '127.0.0.4' });
    await last.untilClosed();
    expect((await good.rig.request('still here', 'mining.ping')).result).toBe('pong');
    expect(bridge.closings).toHaveLength(2);
    expect(lines).toMatchObject([{ event: 'connections', connections: 3, more: 1 }]);
    bridge.skewMs += 60_000;
    await (await bridge.connect('tcp', { localAddress: '127.0.0.4' })).untilClosed();
    expect(lines).toMatchObject([{ more: 1 }, { event: 'connections', more: expect.any(Number) }]);
  });

  it('ST4: a good rig that has lost its connection takes the place of a new session', async () => {
    const { bridge, come, comeAtLast } = await fullOf(2);
    await using _ = bridge;
    const good = await come(2);
    await good.share();
    good.rig.vanish();
    await until('it has gone', () => bridge.server.sessions === 0);
    const strangers = [await come(1), await come(1)];
    await (await bridge.connect('tcp', { localAddress: '127.0.0.3' })).untilClosed();
    const back = await comeAtLast(2);
    await strangers[0]?.rig.untilClosed();
    // It had one, and no more.
    await (await bridge.connect('tcp', { localAddress: '127.0.0.2' })).untilClosed();
    expect((await back.rig.request('still here', 'mining.ping')).result).toBe('pong');
  });

  it('ST4: an address that has as many as it may is one line of the log in a while', async () => {
    const { bridge, come, lines } = await fullOf(9, { limits: { connectionsPerAddress: 1 } });
    await using _ = bridge;
    const first = await come();
    for (let i = 0; i < 5; i++) await (await bridge.connect('tcp')).untilClosed();
    bridge.skewMs += 60_000;
    await (await bridge.connect('tcp')).untilClosed();
    expect((await first.rig.request('still here', 'mining.ping')).result).toBe('pong');
    expect(lines).toMatchObject([
      { event: 'connections', address: '127.0.0.1', refused: 1 },
      { event: 'connections', address: '127.0.0.1', refused: 5 },
    ]);
  });
});

describe('a banned address', () => {
  it.each(WIRE_TRANSPORTS)(
    'ST5: hears why once a minute, on a session that is closed then: %s',
    async (transport) => {
      const { bridge } = await fullOf(9);
      await using _ = bridge;
      const ban = { kind: 'address', address: '127.0.0.1', reason: 'dust' } as const;
      await bridge.server.operator.ban(ban, 'me');
      const hear = async (): Promise<void> => {
        const rig = await bridge.connect(transport);
        const { result, error } = await rig.request(1, 'mining.subscribe', ['test/1', null]);
        expect(result).toBeNull();
        expect(error).toEqual([24, expect.stringMatching(/^banned.*: dust$/), null]);
        await rig.untilClosed();
      };
      await hear();
      await expect(hear()).rejects.toThrow();
      bridge.skewMs += 60_000;
      await hear();
      expect([bridge.nonceSpace.leased, bridge.server.sessions]).toEqual([0, 0]);
    },
  );
});
