/**
 * A farm behind one address (users-ask 17): ten bad rigs among many good ones, bad in several manners at once. What is bad is
 * closed and banned; of the good, none loses its session, a share, or its way back.
 */
import { describe, expect, it } from 'vitest';
import { type Nonce1, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { targetOf } from '../../../src/core/work/target.js';
import type { AccountPolicy } from '../../../src/stratum/admission/accounts.js';
import type { WireRig, WireTransport } from '../../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

/** The long tests have 500. */
const GOOD = Number(process.env['BRIDGE_TEST_FARM'] ?? 50);
const AT_ONCE = 50;
const HARD = { difficulty: 1n << 100n };
const TARGET = targetOf(4n);
const HOUR_MS = 3_600_000;
/** Time goes faster, so nothing of what is shown ends by it. */
const LIMITS = {
  invalidSubmits: 30,
  invalidWindowMs: HOUR_MS,
  banMs: HOUR_MS,
  handshakeTimeoutMs: HOUR_MS,
  authorizeTimeoutMs: HOUR_MS,
};
const SECRET = 'of the farm';
const TRANSPORTS: readonly WireTransport[] = ['tcp', 'ws', 'tcp', 'tls', 'tcp'];

interface GoodRig {
  readonly login: string;
  readonly transport: WireTransport;
  rig: WireRig;
  nonce1: Nonce1;
  /** Where it goes on to search. */
  from: number;
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const next = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Ten times as fast as it does: who floods is not read for ten seconds first. */
function hurry(bridge: TestBridge): Disposable {
  const timer = setInterval(() => {
    bridge.skewMs += 180;
  }, 20);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function comeIn(bridge: TestBridge, login: string, transport: WireTransport) {
  const rig = await bridge.connect(transport);
  const { result } = await rig.request(1, 'mining.subscribe', ['asic/1']);
  const answer = await rig.request(2, 'mining.authorize', [login, SECRET]);
  const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? expect.fail('no nonce1');
  return { rig, nonce1, answer };
}

/** A share that has to be good. */
async function mineOne(bridge: TestBridge, good: GoodRig): Promise<void> {
  const job = bridge.book.liveJobs[0] ?? expect.fail('no job');
  const nonce2 = mine(job, good.nonce1, TARGET, true, good.from);
  good.from = Number.parseInt(nonce2, 16) + 1;
  const answer = await good.rig.request(`share ${good.from}`, 'mining.submit', [good.login, job.id, nonce2]);
  expect([good.login, answer.result, answer.error]).toEqual([good.login, true, null]);
}

async function startFarm(bridge: TestBridge): Promise<GoodRig[]> {
  const farm: GoodRig[] = [];
  await inTurns(
    Array.from({ length: GOOD }, (_, i) => i),
    async (i) => {
      const [login, transport] = [`farm.${i}`, TRANSPORTS[i % TRANSPORTS.length] ?? 'tcp'];
      const { rig, nonce1, answer } = await comeIn(bridge, login, transport);
      expect(answer.result).toBe(true);
      farm.push({ login, transport, rig, nonce1, from: 0 });
    },
  );
  return farm;
}

/** Each comes again and again, until what it does has its end, or so many times. */
const MANNERS: Readonly<Record<string, (bridge: TestBridge, login: string) => Promise<void>>> = {
  /** Until it is not let in any more. */
  'wrong shares': async (bridge, login) => {
    await until('it is banned', async () => {
      const { rig, answer } = await comeIn(bridge, login, 'tcp');
      if (answer.result !== true) {
        expect(answer.error?.[1]).toMatch(/^banned until /);
        rig.vanish();
        return true;
      }
      for (let i = 0; i < 40; i++)
        rig.send(`{"id":${i},"method":"mining.submit","params":["${login}","none","00112233445${i % 10}"]}`);
      await rig.untilClosed();
      return false;
    });
  },
  floods: async (bridge, login) => {
    await until('it is banned', async () => {
      const { rig, answer } = await comeIn(bridge, login, 'tcp');
      await until('it is closed', () => {
        if (answer.result === true) rig.socket.write(Buffer.alloc(65_536, '\n'));
        else rig.vanish();
        return rig.closed;
      });
      return answer.result !== true;
    });
  },
  /** In mode `open` there is nothing to guess, and it only comes and goes. */
  guesses: async (bridge) => {
    for (let i = 0; i < 50; i++) {
      const rig = await bridge.connect('tcp');
      rig.send(`{"id":1,"method":"mining.authorize","params":["farm.${i}","guess ${i}"]}`);
      await rig.request(2, 'mining.ping');
      rig.vanish();
    }
  },
  garbage: async (bridge) => {
    for (let i = 0; i < 10; i++) {
      const rig = await bridge.connect('tcp');
      for (let line = 0; line < 40; line++) rig.send('{"garbage');
      await rig.untilClosed();
    }
  },
  reconnects: async (bridge, login) => {
    for (let i = 0; i < 100; i++) (await comeIn(bridge, login, i % 10 === 0 ? 'tls' : 'tcp')).rig.vanish();
  },
};

const bad = (bridge: TestBridge): Promise<void>[] =>
  Object.values(MANNERS).flatMap((manner, i) =>
    [0, 1].map((each) => manner(bridge, `farm.bad ${i} ${each}`)),
  );

const MODES: readonly [string, AccountPolicy][] = [
  ['open', { mode: 'open' }],
  ['password', { mode: 'password', passwords: { farm: SECRET } }],
];

describe.each(MODES)('a farm behind one address, in mode %s', (_mode, accounts) => {
  it('loses none of its good rigs to ten bad ones, and none that comes back', async () => {
    await using bridge = await startTestBridge({ accounts, limits: LIMITS });
    using _ = hurry(bridge);
    bridge.offer(HARD);
    const farm = await startFarm(bridge);
    await inTurns(farm, (good) => mineOne(bridge, good));

    let isOver = false;
    const attack = Promise.all(bad(bridge)).finally(() => {
      isOver = true;
    });
    // Every rig at least twice, and for as long as the bad ones are at it.
    for (let round = 0; round < 2 || !isOver; round++) await inTurns(farm, (good) => mineOne(bridge, good));
    await attack;
    expect(farm.filter(({ rig }) => rig.closed)).toEqual([]);
    const banned = bridge.server.watch.bans().map(({ kind, login }) => [kind, login]);
    expect(banned.sort()).toEqual(['0 0', '0 1', '1 0', '1 1'].map((which) => ['rig', `farm.bad ${which}`]));

    // The power fails, and all come back at once, good and bad.
    for (const { rig } of farm) rig.vanish();
    const again = Promise.all(bad(bridge));
    await inTurns(farm, async (good) => {
      const { rig, nonce1, answer } = await comeIn(bridge, good.login, good.transport);
      expect([good.login, answer.result]).toEqual([good.login, true]);
      Object.assign(good, { rig, nonce1 });
      await mineOne(bridge, good);
    });
    await again;
    expect(farm.filter(({ rig }) => rig.closed)).toEqual([]);
    expect(bridge.server.watch.bans().filter(({ kind }) => kind === 'address')).toEqual([]);
  }, 120_000);
});
