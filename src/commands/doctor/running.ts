/** What a bridge that runs here says of itself: asked over the socket in its data directory, bounded in time and bytes. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { z } from 'zod';
import type { Finding } from '../../assembly/finding.js';
import { rootMessage } from '../../chain/errors.js';
import { formatDuration, formatHashRate, formatScaled } from '../../cli/screen/units.js';
import { payer } from '../../operations/payer/payer.js';
import type { PayerView } from '../../operations/payer/payer-view.js';
import { SUMMARY, type Summary, summary } from '../../operations/state.js';
import { controlFault } from '../../web/control-socket.js';
import { controlSocketOf } from '../ctl/socket.js';

/** A summary is there within a second, whatever is away. */
const ANSWER_MS = 5_000;
const ANSWER_BYTES = 1_048_576;
/** A summary calls a part away after half a second, and a busy machine may take longer. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 1_000;

/** `GET /readyz`: why jobs do not flow. */
const READINESS = z.union([
  z.object({ status: z.literal('ready'), missing: z.undefined().optional() }),
  z.object({ status: z.literal('waiting'), missing: z.string() }),
]);

type Ask = (path: string) => Promise<unknown>;

/** Asks the bridge that runs there, within {@link ANSWER_MS}. */
async function asking<T>(socketPath: string, act: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new Client('http://doctor', { socketPath, maxResponseSize: ANSWER_BYTES });
  try {
    return await act(async (path) => {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return (await client.request({ method: 'GET', path, signal })).body.json();
    });
  } finally {
    await client.destroy();
  }
}

/** Settings that the ledger has otherwise, in words; none where no bridge of this version runs there. */
export async function differingRulesAt(dataDir: string): Promise<readonly string[]> {
  const socketPath = await controlSocketOf(dataDir);
  if (controlFault(socketPath) !== undefined || !existsSync(socketPath)) return [];
  const told = SUMMARY.safeParse(await asking(socketPath, (ask) => ask(summary.path)).catch(() => undefined));
  return told.data?.ledger.differingRules ?? [];
}

/** `undefined` where there can be no such socket. */
export async function askRunning(
  dataDir: string,
): Promise<{ readonly answers: boolean; readonly findings: readonly Finding[] } | undefined> {
  const socketPath = await controlSocketOf(dataDir);
  if (controlFault(socketPath) !== undefined) return undefined;
  try {
    return { answers: true, findings: await asking(socketPath, look) };
  } catch (error) {
    const why =
      error instanceof z.ZodError ? 'what answers there is no bridge of this version' : rootMessage(error);
    const detail = `it does not say how it is at ${socketPath}: ${why}`;
    const advice = 'the log of the bridge says why there is no such socket';
    return { answers: false, findings: [{ state: 'warning', what: 'bridge, API', detail, advice }] };
  }
}

/** Looks again before it says that something is missing or away. */
async function look(ask: Ask, looks = LOOKS): Promise<Finding[]> {
  const [readiness, answer] = await Promise.all([ask('/readyz'), ask(summary.path)]);
  const { missing } = READINESS.parse(readiness);
  const told = SUMMARY.parse(answer);
  if (looks === 1 || (missing === undefined && told.queue.isUp && told.ledger.isUp))
    return [...findingsOf(told, missing), ...paymentsOf(await payersAt(ask, told))];
  await sleep(BETWEEN_LOOKS_MS);
  return look(ask, looks - 1);
}

/** None where the ledger is away. */
async function payersAt(ask: Ask, { ledger }: Summary): Promise<readonly PayerView[]> {
  return ledger.isUp ? (payer.output.safeParse(await ask(payer.path)).data?.payer ?? []) : [];
}

function findingsOf(told: Summary, missing: string | undefined): Finding[] {
  // Those of another bridge give this one no work.
  const nodes = told.nodes.filter(({ bridge }) => bridge === null || bridge === told.instance);
  return [
    stateOf(told, missing),
    ...nodes.map((node) => nodeFinding(node, nodes)),
    rigsOf(told),
    queueOf(told),
    ledgerOf(told),
    ...chainsOf(told),
    ...rulesOf(told),
  ];
}

function stateOf({ version, startedAt, instance }: Summary, missing: string | undefined): Finding {
  const number = instance === null ? '' : `, instance ${instance}`;
  const up = formatDuration(Math.max(0, Date.now() - Date.parse(startedAt)));
  const detail = `version ${version}${number}, up ${up}`;
  if (missing === undefined) return { state: 'good', what: 'bridge, state', detail: `ready: ${detail}` };
  const advice = 'its log says when each part went away; what follows says what is wrong now';
  return { state: 'fault', what: 'bridge, state', detail: `not ready, ${missing} (${detail})`, advice };
}

/** One node that gives work is enough. */
function nodeFinding(node: Summary['nodes'][number], all: Summary['nodes']): Finding {
  const what = `bridge, node ${node.url}`;
  const place = node.network === '' ? '' : `network ${node.network}, `;
  if (node.state === 'healthy') {
    const use = node.isActive ? `in use, chains with work: ${node.chains}` : 'healthy';
    return { state: 'good', what, detail: `${place}${use}` };
  }
  const oneWorks = all.some(({ state }) => state === 'healthy');
  return { state: oneWorks ? 'warning' : 'fault', what, detail: `${place}${node.state}: ${node.reason}` };
}

/** Of this bridge, as its ports are. */
function rigsOf({ bridges: [own], ports }: Summary): Finding {
  const [sessions, hashesPerSecond] = [own?.sessions ?? 0, own?.hashesPerSecond ?? 0];
  const by = ports.map((port) => `${port.name} ${port.sessions}`).join(', ');
  const detail =
    sessions === 0
      ? `none is connected${by && ` (open ports: ${ports.map(({ name }) => name).join(', ')})`}`
      : `${by ? `by ports: ${by}; ` : ''}${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${formatHashRate(hashesPerSecond)} by their shares`;
  return { state: 'good', what: 'bridge, rigs', detail };
}

function queueOf({ queue: { isUp, waiting = 0, failed = 0, heldBack = 0, oldestMs = 0 } }: Summary): Finding {
  const what = 'bridge, queue';
  const since = heldBack > 0 ? `, the oldest for ${formatDuration(oldestMs)}` : '';
  const detail = `${waiting} entries wait, ${heldBack} shares wait on disk${since}, ${failed} set aside`;
  if (!isUp) {
    const advice = 'does its Redis or database run? Until it answers, shares wait in the share log on disk';
    return { state: 'warning', what, detail: `away; the last known: ${detail}`, advice };
  }
  if (failed === 0) return { state: 'good', what, detail };
  return { state: 'warning', what, detail, advice: '`stratum-bridge ledger entry list` says why' };
}

function ledgerOf({ ledger: { isUp, shares = 0, work = '0' } }: Summary): Finding {
  const what = 'bridge, ledger';
  const detail = `${shares} shares, ${formatScaled(Number(work))}hashes`;
  if (isUp) return { state: 'good', what, detail };
  const advice = 'does the database run? Shares wait for it meanwhile';
  return { state: 'warning', what, detail: `away; the last known: ${detail}`, advice };
}

function chainsOf({ following }: Summary): Finding[] {
  if (!following?.still) return [];
  const [first] = following.standing;
  const detail = `${following.still} of ${following.chains} stand still, the first: chain ${first?.chainId}: ${first?.trouble}`;
  const advice = 'nothing is paid meanwhile; `stratum-bridge ledger follow status` says why of each';
  return [{ state: 'warning', what: 'bridge, chains', detail, advice }];
}

function rulesOf({ ledger: { differingRules } }: Summary): Finding[] {
  if (differingRules.length === 0) return [];
  const detail = `settings are passed over: ${differingRules.join('; ')}`;
  const advice = '`stratum-bridge ledger rules` shows the rules that hold, `ledger rules set` changes them';
  return [{ state: 'warning', what: 'bridge, rules', detail, advice }];
}

/** Nothing where nobody has ever paid on chain. */
function paymentsOf(payers: readonly PayerView[]): Finding[] {
  return payers
    .filter(({ words }) => words.length > 0)
    .map(({ isPaying, lines, pauses, warning, words }) => {
      const isWell = (isPaying || lines === 0) && pauses.length === 0 && warning === '';
      const finding = { what: 'bridge, payments on chain', detail: words.join('; ') };
      if (isWell) return { state: 'good', ...finding };
      return { state: 'warning', ...finding, advice: '`stratum-bridge ledger payout --help` has the orders' };
    });
}
