/** The bridge around a stratum server, real but for node and queue: works are given by hand, shares kept in a list. */

import { createSecureContext } from 'node:tls';
import { Dispatcher } from '../../../src/bridge/dispatcher.js';
import { type BridgeEvents, createBridgeEvents, type SubmitEvent } from '../../../src/bridge/events.js';
import { JobRoller } from '../../../src/bridge/job-roller.js';
import { createJudge } from '../../../src/bridge/judge.js';
import type { Judge } from '../../../src/bridge/ports.js';
import { SessionCounts } from '../../../src/bridge/session-counts.js';
import { type Job, JobBook } from '../../../src/core/jobs/job.js';
import type { KeptJobs } from '../../../src/core/jobs/kept-jobs.js';
import {
  composeNonce,
  type Nonce1,
  NonceSpace,
  nonce1FromHex,
  nonce2FromNumber,
  nonce2ToHex,
} from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { hashSubmit, type Share, type Solution } from '../../../src/core/shares/share.js';
import { meetsTarget, type Target } from '../../../src/core/work/target.js';
import type { Work } from '../../../src/core/work/work.js';
import type { PortOptions } from '../../../src/stratum/admission/ports.js';
import {
  type StratumServer,
  type StratumServerOptions,
  startStratumServer,
} from '../../../src/stratum/server.js';
import { KNOWN_AGENTS } from '../../../src/stratum/settings/known-agents.js';
import { makeSelfSigned } from '../../../src/tls/self-signed.js';
import { logBy } from '../rigs/shares.js';
import { type WireOptions, WireRig, type WireTransport } from '../rigs/wire-rig.js';
import { makeWork, type WorkOptions } from '../rigs/works.js';

export const ANY_PORT = { host: '127.0.0.1', port: 0 };
export const TCP_PORT: PortOptions = { name: 'tcp', transport: 'tcp', address: ANY_PORT };
export const WS_PORT: PortOptions = { name: 'ws', transport: 'ws', address: ANY_PORT };

export const TEST_PAIR = makeSelfSigned({
  hosts: ['localhost', '127.0.0.1', '::1'],
  nowMs: Date.now(),
  days: 2,
  serial: Buffer.alloc(16, 7),
});
const TEST_CONTEXT = createSecureContext({ cert: TEST_PAIR.certificate, key: TEST_PAIR.privateKey });

export interface TestBridge extends AsyncDisposable {
  readonly server: StratumServer;
  readonly book: JobBook;
  readonly dispatcher: Dispatcher;
  readonly nonceSpace: NonceSpace;
  /** Sessions by chain. */
  readonly sessionCounts: SessionCounts;
  readonly events: BridgeEvents;
  readonly shares: Share[];
  readonly solutions: Solution[];
  readonly submits: SubmitEvent[];
  /** Why sessions were closed, in order. */
  readonly closings: string[];
  /** Added to the clock's time. */
  skewMs: number;
  readonly judge: Judge;
  offer(work: WorkOptions): Job;
  offerWork(work: Work): Job;
  /** Of the port of this name, or else of that which is for the transport. */
  readonly port: (transport: WireTransport, name?: string) => number;
  connect(transport: WireTransport, options?: WireOptions & { name?: string }): Promise<WireRig>;
  /** Connected, subscribed and authorized as `a.r`. */
  readyRig(transport: WireTransport): Promise<{ rig: WireRig; nonce1: Nonce1 }>;
}

export interface TestBridgeOptions extends Partial<StratumServerOptions> {
  readonly append?: (share: Share) => Promise<void>;
  /** Of creation times, to have several groups of sessions. */
  readonly residue?: number;
  /** Whether the server may roll the time of jobs. */
  readonly rolls?: boolean;
  /** Jobs of an earlier start, beside `former`. */
  readonly formerJobs?: KeptJobs;
  /** What the clock shows at the start, instead of the time. */
  readonly startMs?: number;
  /** Higher than the numbers of all former jobs. */
  readonly firstJob?: number;
  /** Whether old jobs are forgotten by the clock. */
  readonly forgets?: boolean;
  /** The clock moves by `skewMs` alone, so that what comes in a time does not depend on the machine's speed. */
  readonly standsStill?: boolean;
}

export async function startTestBridge(options: TestBridgeOptions = {}): Promise<TestBridge> {
  const events = createBridgeEvents();
  const shares: Share[] = [];
  const solutions: Solution[] = [];
  const submits: SubmitEvent[] = [];
  const closings: string[] = [];
  const rigs: WireRig[] = [];
  const time = { skewMs: 0 };
  const startedAtMs = options.startMs ?? Date.now();
  const clock = { nowMs: () => (options.standsStill ? startedAtMs : Date.now()) + time.skewMs };
  const bookMs = options.forgets ? (): number => clock.nowMs() : undefined;
  const { formerJobs } = options;
  const firstJob = options.firstJob ?? (formerJobs ? 0x15d4 : 0x5d4);
  const book = new JobBook(firstJob, undefined, options.residue, bookMs);
  const restored = formerJobs ? book.restore(formerJobs, 0) : [];
  const nonceSpace = options.nonceSpace ?? new NonceSpace(0);
  const append = options.append ?? (async (share: Share) => void shares.push(share));
  const sendSolution = (solution: Solution) => void solutions.push(solution);
  const roller = new JobRoller(book, clock);
  roller.knowFormer(restored);
  const judge = createJudge({ book, shares: logBy(append), sendSolution, clock });
  events.on('submit', (event) => submits.push(event));
  events.on('sessionClosed', (_session, reason) => closings.push(reason));
  const sessionCounts = new SessionCounts();
  let sessions = 0;
  const server = await startStratumServer({
    listeners: [TCP_PORT, WS_PORT],
    judge,
    clock,
    events,
    log: SILENT,
    shareDifficulty: 4n,
    agents: KNOWN_AGENTS,
    certificate: { context: TEST_CONTEXT },
    ...(options.rolls ? { jobs: roller } : {}),
    ...options,
    sessionCounts,
    nonceSpace,
    nextSessionId: options.nextSessionId ?? (() => ++sessions),
  });
  const dispatcher = new Dispatcher(book, events);
  dispatcher.addSink(roller);
  dispatcher.addSink(server.jobs);
  const bridge: TestBridge = {
    server,
    book,
    dispatcher,
    nonceSpace,
    sessionCounts,
    events,
    shares,
    solutions,
    submits,
    closings,
    get skewMs() {
      return time.skewMs;
    },
    set skewMs(skewMs) {
      time.skewMs = skewMs;
    },
    judge,
    offer: (work) => bridge.offerWork(makeWork(work)),
    offerWork(work) {
      dispatcher.offerWork(work, 'node');
      return book.liveJobs.at(-1) ?? fail('no job came');
    },
    port: (transport, name) =>
      server.addresses[name ?? (transport === 'tcp' || transport === 'tls' ? 'tcp' : 'ws')]?.port ?? 0,
    async connect(transport, options) {
      const rig = await WireRig.connect(transport, bridge.port(transport, options?.name), {
        ca: TEST_PAIR.certificate,
        ...options,
      });
      rigs.push(rig);
      return rig;
    },
    async readyRig(transport) {
      const rig = await bridge.connect(transport);
      const { result } = await rig.request(1, 'mining.subscribe', ['test/1', null]);
      await rig.request(2, 'mining.authorize', ['a.r', 'x']);
      const nonce1 = Array.isArray(result) ? nonce1FromHex(String(result[1])) : undefined;
      return { rig, nonce1: nonce1 ?? fail('no nonce1 came') };
    },
    async [Symbol.asyncDispose]() {
      for (const rig of rigs) if (!rig.closed) rig.vanish();
      await server.close();
    },
  };
  return bridge;
}

/** nonce2 values whose hash of the job does, or does not, meet a target, as a rig finds them. */
export function mine(job: Job, nonce1: Nonce1, target: Target, meets = true, from = 0): string {
  for (let n = from; ; n++) {
    const nonce2 = nonce2FromNumber(n);
    if (meetsTarget(hashSubmit(job, composeNonce(nonce1, nonce2)).powHash, target) === meets)
      return nonce2ToHex(nonce2);
  }
}

function fail(why: string): never {
  throw new Error(why);
}
