/** Fronts of a fleet in one process: real stratum servers, joined by the hub's state. All that goes between them is cloned. */
import type { AddressUse, FleetState, FrontState } from '../../../src/bridge/fleet/state.js';
import { residueOfInstance } from '../../../src/bridge/job-roller.js';
import type { Ban, KeptOrders } from '../../../src/bridge/orders/steering.js';
import { jobNumbersOf } from '../../../src/core/jobs/job.js';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { HubState } from '../../../src/fleet/state/state.js';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from './stratum-bridge.js';

const REST_MS = 60_000;
/** Methods for whose answer nobody waits. */
const CASTS = new Set(['tell', 'has', 'hear']);
const NO_ORDERS: KeptOrders = { bans: [], difficulties: [], labels: [], addresses: [] };

export interface TestFleet extends AsyncDisposable {
  readonly hub: HubState;
  readonly fronts: readonly TestBridge[];
  /** What was kept, the newest last. */
  readonly kept: KeptOrders[];
  /** Bans as they come and go, told once for all fronts. */
  readonly told: string[];
  /** What a front has heard of what addresses use at the others. */
  heard(front: number): readonly AddressUse[];
  /** Of all clocks. */
  skewMs: number;
  /** Calls of the hub to this front are not answered from now on, nor its own. */
  silence(front: number): void;
  /** As by `kill -9`: what it had not told is lost. */
  kill(front: number): Promise<void>;
  /** A new one in the place of one that was killed. */
  startAgain(front: number): Promise<TestBridge>;
}

interface Link {
  isCut: boolean;
  isSilent: boolean;
}

/** An object of another process: it takes and gives plain data, and it takes a while. */
function far<T extends object>(target: () => T, link: Link): T {
  const call =
    (name: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const sent = structuredClone(args);
      await new Promise((resolve) => setImmediate(resolve));
      if (link.isCut) throw new Error('the other process is dead');
      if (link.isSilent) return await new Promise(() => undefined);
      const method = Reflect.get(target(), name) as (...args: unknown[]) => unknown;
      return structuredClone(await method.apply(target(), sent));
    };
  /** Casts: nobody waits for them. */
  const cast =
    (name: string) =>
    (...args: unknown[]): void =>
      void call(name)(...args).catch(() => undefined);
  return new Proxy({} as T, {
    get: (_, name) => (CASTS.has(String(name)) ? cast(String(name)) : call(String(name))),
  });
}

export async function startFleet(count: number, options: TestBridgeOptions = {}): Promise<TestFleet> {
  const startMs = Date.now();
  const time = { skewMs: 0 };
  const kept: KeptOrders[] = [];
  const told: string[] = [];
  const hub = new HubState({
    kept: NO_ORDERS,
    keeper: { keep: async (orders) => void kept.push(orders) },
    bans: {
      banned: ({ kind, id }: Ban) => void told.push(`banned ${kind} ${id}`),
      unbanned: ({ kind, id }: Ban, by) => void told.push(`unbanned ${kind} ${id} by ${by ?? 'time'}`),
    },
    clock: { nowMs: () => startMs + time.skewMs },
    stayMs: REST_MS,
    log: SILENT,
  });
  const links: Link[] = [];
  const heard: AddressUse[][] = [];
  const fronts: TestBridge[] = [];
  let starts = 0;
  const start = async (front: number): Promise<TestBridge> => {
    const link: Link = { isCut: false, isSilent: false };
    const bridge = await startTestBridge({
      ...{ rolls: true, standsStill: true, startMs },
      ...{ residue: residueOfInstance(++starts), nonceSpace: new NonceSpace(REST_MS) },
      firstJob: jobNumbersOf(front, startMs + starts),
      fleet: { front, hub: far<FleetState>(() => hub.deskOf(front), link) },
      ...options,
    });
    bridge.skewMs = time.skewMs;
    const server = far<FrontState>(() => bridge.server.front ?? fail('it is no front'), link);
    heard[front] = [];
    const hear: FrontState['hear'] = (news) => {
      server.hear(news);
      heard[front]?.push(...news.addresses);
    };
    const heeding: FrontState = {
      hear,
      begin: (orders) => server.begin(orders),
      giveUp: (claim) => server.giveUp(claim),
      judge: (submit) => server.judge(submit),
      obey: (changes) => server.obey(changes),
    };
    await hub.join(front, heeding);
    links[front] = link;
    fronts[front] = bridge;
    return bridge;
  };
  for (let front = 0; front < count; front++) await start(front);
  const timer = setInterval(() => void hub.tick(), 100);
  return {
    ...{ hub, fronts, kept, told },
    heard: (front) => heard[front] ?? [],
    get skewMs() {
      return time.skewMs;
    },
    set skewMs(skewMs) {
      time.skewMs = skewMs;
      for (const front of fronts) front.skewMs = skewMs;
    },
    silence(front) {
      (links[front] ?? fail('there is no such front')).isSilent = true;
    },
    async kill(front) {
      (links[front] ?? fail('there is no such front')).isCut = true;
      hub.leave(front);
      await fronts[front]?.[Symbol.asyncDispose]();
    },
    startAgain: start,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const link of links) link.isSilent = false;
      for (const front of fronts) await front[Symbol.asyncDispose]();
      await hub.close();
    },
  };
}

function fail(why: string): never {
  throw new Error(why);
}
