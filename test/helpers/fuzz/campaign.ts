/** Many scripts at one bridge, good rigs beside them; a script that does harm is found, made shorter and told. */
import type { Log } from '../../../src/core/names/log.js';
import type { AccountPolicy } from '../../../src/stratum/admission/accounts.js';
import type { StratumLimits } from '../../../src/stratum/admission/limits.js';
import { WIRE_TRANSPORTS } from '../rigs/wire-rig.js';
import { startTestBridge, type TestBridge } from '../stories/stratum-bridge.js';
import { until } from '../until.js';
import { GoodRig } from './good-rig.js';
import { BALANCER, play } from './player.js';
import { type Script, scriptOf } from './scripts.js';
import { shortened } from './shorten.js';

export interface CampaignOptions {
  readonly seed: number;
  /** To be sent at the least. */
  readonly messages: number;
  /** Of one step. */
  readonly longest: number;
  readonly limits: Partial<StratumLimits>;
  /** Who may mine; by default anybody. */
  readonly accounts?: AccountPolicy;
  /** Called after each round, with the messages so far. */
  readonly onRound?: (messages: number) => void;
}

export interface Tally {
  connections: number;
  messages: number;
  answers: number;
  /** Connections of which each request had its one answer. */
  proven: number;
  goodShares: number;
}

/** Nothing that is sent is too much, so that all of it is read. */
export const WITHOUT_LIMITS: Partial<StratumLimits> = {
  ...{ wrongLogins: 1e9, messagesPerSecond: 1e9, messageBurst: 1e9, messagesPerSecondPerAddress: 1e9 },
  ...{ invalidMessages: 1e9, invalidSubmits: 1e9, pendingSubmits: 1e6 },
  ...{ connectsPerSecond: 1e9, connectsPerSecondPerAddress: 1e9, connectBurst: 1e9 },
  ...{ writeBufferBytes: 2 ** 30, remembered: 500 },
};

const AT_ONCE = 16;
const ROUNDS_A_CUT = 10;
/** So much passes between two rounds, so that what is held for a time is let go of. */
const ROUND_MS = 2_000;
const GOOD_ACCOUNT = 'good';
const GOOD_ADDRESS = '127.0.0.9';
/** Of a good rig behind the balancer. */
const GOOD_HEADER = Buffer.from('PROXY TCP4 192.0.2.77 198.51.100.2 5000 1917\r\n');

/** Rejects with the shortest script that shows it when anything is not as it should be. */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const tally: Tally = { connections: 0, messages: 0, answers: 0, proven: 0, goodShares: 0 };
  await using watched = await startWatched(options);
  const { bridge, harm } = watched;
  bridge.offer({ difficulty: 1n << 100n });
  const good = await goodRigs(bridge);
  let goodKept = 0;
  for (let round = 0; tally.messages < options.messages; round++) {
    if (round % ROUNDS_A_CUT === 1)
      bridge.offer({ difficulty: 1n << 100n, height: 7 + round, parent: round & 255, payload: round >> 8 });
    const faults = await playRound(bridge, options, round, tally);
    for (const rig of good) await rig.mineOne().catch((error: Error) => faults.push(error.message));
    faults.push(...harm);
    goodKept += forgetRound(bridge);
    if (faults.length > 0) throw new Error(await report(options, round, faults));
    options.onRound?.(tally.messages);
  }
  tally.goodShares = good.reduce((sum, { accepted }) => sum + accepted, 0);
  if (goodKept !== tally.goodShares)
    throw new Error(`${tally.goodShares} good shares, and ${goodKept} are kept`);
  for (const rig of good) rig.leave();
  await isEmpty(bridge);
  return tally;
}

/** What is written down for tests would be all that grows. Returns how many shares of good rigs were kept. */
function forgetRound(bridge: TestBridge): number {
  const kept = bridge.shares.filter(({ account }) => account === GOOD_ACCOUNT).length;
  for (const list of [bridge.shares, bridge.submits, bridge.closings]) list.length = 0;
  bridge.skewMs += ROUND_MS;
  return kept;
}

async function goodRigs(bridge: TestBridge): Promise<GoodRig[]> {
  const plain = WIRE_TRANSPORTS.map((transport) =>
    GoodRig.connect(bridge, transport, `${GOOD_ACCOUNT}.${transport}`, { localAddress: GOOD_ADDRESS }),
  );
  const behind = GoodRig.connect(bridge, 'tls', `${GOOD_ACCOUNT}.behind`, {
    localAddress: BALANCER,
    preamble: GOOD_HEADER,
  });
  return await Promise.all([...plain, behind]);
}

function scriptsOf({ seed, longest }: CampaignOptions, round: number): Script[] {
  return Array.from({ length: AT_ONCE }, (_, i) => scriptOf(seed, round * AT_ONCE + i, longest));
}

async function playRound(
  bridge: TestBridge,
  options: CampaignOptions,
  round: number,
  tally: Tally,
): Promise<string[]> {
  const scripts = scriptsOf(options, round);
  const played = await Promise.all(
    scripts.map((script, i) => play(bridge, script, addressOf(tally.connections + i))),
  );
  for (const { messages, answers, isProven } of played) {
    tally.connections++;
    tally.messages += messages;
    tally.answers += answers;
    if (isProven) tally.proven++;
  }
  return played.flatMap(({ faults }) => faults);
}

/** Each has one that nobody had for long. */
function addressOf(number: number): string {
  return `127.${1 + ((number >> 16) % 200)}.${(number >> 8) & 255}.${number & 255}`;
}

interface Watched extends AsyncDisposable {
  readonly bridge: TestBridge;
  /** What went wrong beside the answers. */
  readonly harm: readonly string[];
}

async function startWatched({ limits, accounts = { mode: 'open' } }: CampaignOptions): Promise<Watched> {
  const harm: string[] = [];
  const escaped = (error: unknown): void => void harm.push(`escaped: ${wordsOf(error)}`);
  process.on('uncaughtExceptionMonitor', escaped);
  const error = (fields: object, text?: string): void =>
    void harm.push(`${text}: ${wordsOf((fields as { error?: unknown }).error)}`);
  const log: Log = { debug() {}, info() {}, warn() {}, error };
  const bridge = await startTestBridge({
    log,
    limits,
    accounts,
    balancers: [BALANCER],
    rolls: true,
    forgets: true,
  });
  return {
    bridge,
    harm,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]();
      process.off('uncaughtExceptionMonitor', escaped);
    },
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The first of the scripts that does harm alone, as short as it still does; or all of them together. */
async function report(options: CampaignOptions, round: number, faults: readonly string[]): Promise<string> {
  const harmful = async (script: Script): Promise<boolean> => {
    await using watched = await startWatched(options);
    watched.bridge.offer({ difficulty: 1n << 100n });
    const { faults: found } = await play(watched.bridge, script, '127.0.0.2');
    return found.length + watched.harm.length > 0;
  };
  const told = `seed ${options.seed}, round ${round}: ${faults.slice(0, 5).join('\n')}`;
  for (const [i, script] of scriptsOf(options, round).entries()) {
    if (!(await harmful(script))) continue;
    const shortest = await shortened(script, harmful);
    return `${told}\nscript ${round * AT_ONCE + i}, shortened: ${JSON.stringify(shortest)}`;
  }
  return `${told}\nno script does it alone`;
}

/** Nobody is there any more, and nothing of anybody is held. */
async function isEmpty(bridge: TestBridge): Promise<void> {
  const { server, nonceSpace, events } = bridge;
  await until('all sessions have ended', () => server.sessions === 0);
  if (nonceSpace.leased > 0) throw new Error(`${nonceSpace.leased} leases are left`);
  bridge.skewMs += 3_600_000;
  await until('nothing waits for its return', () => server.resumable === 0);
  const listeners = events.eventNames().sort().join();
  if (listeners !== 'sessionClosed,submit') throw new Error(`listeners are left: ${listeners}`);
}
