/** The bridge in a few lines for the person who watches it. */

import { formatDuration, formatHashRate, formatScaled } from '../../cli/screen/units.js';
import type { Running } from '../../cli/service/host.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { Ban } from '../../operations/bans.js';
import { countsText } from '../../operations/columns.js';
import type { Summary } from '../../operations/state.js';
import { formatAddress } from '../../stratum/door/listener.js';
import type { Bridge } from '../bridge.js';
import { recordOf } from './happenings.js';
import { linkWords } from './web-link.js';

const ASK_FOR_LINK =
  'for a link to the page run `stratum-bridge web`, with the data directory of this bridge';

/** What the service host needs of a bridge that is up. */
export function runningBridge(bridge: Bridge, more: object = {}): Running<BridgeConfig> {
  const { ports, webUrl: web, makeLink } = bridge;
  const fields = {
    ...portFields(ports),
    ...(web ? { web } : {}),
    ...more,
  };
  return {
    ready: { says: 'ready', fields },
    status: bridgeStatus(bridge),
    ...(makeLink ? { welcome: { secret: () => linkWords(makeLink()), says: ASK_FOR_LINK } } : {}),
    done: bridge.emptied,
    ...(bridge.succeeded ? { succeeded: bridge.succeeded } : {}),
    applyLive: (config) => bridge.applyLive(config),
    record: recordOf(bridge.timeline),
  };
}

/** The two of the settings `stratum.tcp` and `stratum.ws` by their names, as ever; those with names of an operator's apart. */
function portFields(ports: Bridge['ports']): object {
  const fields = Object.fromEntries(ports.map(({ name, address }) => [name, formatAddress(address)]));
  return ports.every(({ name }) => name === 'tcp' || name === 'ws') ? fields : { ports: fields };
}

/** For the live screen. */
export function bridgeStatus(bridge: Bridge): () => Promise<readonly string[]> {
  return async () => {
    const [summary, fastest] = [await bridge.summary(), await fastestRigs(bridge)];
    return statusLines(summary, bridge, { fastest, banned: banLines(bridge) });
  };
}

/** Each fits 80 columns with what is usual; the screen cuts off the rest. */
function statusLines(
  summary: Summary,
  bridge: Bridge,
  { fastest, banned }: Readonly<Record<'fastest' | 'banned', readonly string[]>>,
): string[] {
  const { tally } = bridge;
  const { sessions, ports, submits, solutions, queue, ledger } = summary;
  return [
    `  ${nameOf(summary)}`,
    ...nodeLines(summary),
    row('hash rate', rateWords(summary.hashesPerSecond, bridge.cpuHashRate())),
    row('sessions', `${sessions} (${portWords(ports)})`),
    ...fastest,
    ...banned,
    ...drainLines(bridge),
    row('submits', countsText(submits) || 'none yet'),
    row('solutions', countsText({ ...solutions }) || 'none yet'),
    row('chains', chainWords(tally.heights)),
    row('ledger', ledgerWords(ledger)),
    row('queue', queueWords(queue)),
    row('web', bridge.webUrl ?? 'off'),
  ];
}

function row(name: string, words: string): string {
  return `  ${name.padEnd(9)}  ${words}`;
}

function nameOf({ version, instance, startedAt }: Summary): string {
  const number = instance === null ? '' : `, instance ${instance}`;
  return `stratum-bridge ${version}${number}, up ${formatDuration(Date.now() - Date.parse(startedAt))}`;
}

/** Most of a node's address is the same for all. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** With how many came in by each, where there are several ports. */
function portWords(ports: Summary['ports']): string {
  const words = ports.map(({ name, port, sessions }) =>
    ports.length > 1 ? `${name} ${port}: ${sessions}` : `${name} ${port}`,
  );
  return words.join(', ') || 'off';
}

function rateWords(ofShares: number, cpu: ReturnType<Bridge['cpuHashRate']>): string {
  const ofCpu = cpu?.hashesPerSecond.reduce((sum, rate) => sum + rate, 0) ?? 0;
  const words = [`${formatHashRate(ofShares)} by shares`];
  if (ofCpu > 0) words.push(`${formatHashRate(ofCpu)} by the CPU here`);
  if (cpu?.rests) words.push(ofCpu > 0 ? cpu.rests : `the CPU rests: ${cpu.rests}`);
  return words.join(', ');
}

function nodeLines({ nodes }: Summary): string[] {
  const lines = nodes.map(({ url, network, state, isActive, reason }) => {
    const why = state === 'healthy' ? '' : `: ${reason}`;
    return row(
      'node',
      `${[hostOf(url), network].filter(Boolean).join(' ')} ${isActive ? 'in use, ' : ''}${state}${why}`,
    );
  });
  return lines.length > 0 ? lines : [row('node', 'none is set')];
}

function chainWords(heights: ReadonlyMap<number, number>): string {
  const chains = [...heights].sort(([a], [b]) => a - b).map(([chainId, height]) => `${chainId}:${height}`);
  if (chains.length === 0) return 'no work yet';
  if (chains.length <= FEW_CHAINS) return chains.join(' ');
  const all = [...heights.values()];
  return `${chains.length} with work, at heights ${Math.min(...all)} to ${Math.max(...all)}`;
}

/** As many as have room in a line with their heights. */
const FEW_CHAINS = 6;

function ledgerWords({ isUp, shares, work }: Summary['ledger']): string {
  if (shares === undefined) return 'away, and not heard of yet';
  const totals = `${shares} shares, ${formatScaled(Number(work))}hashes`;
  return isUp ? totals : `away; the last known: ${totals}`;
}

function queueWords({
  isUp,
  backend,
  waiting = 0,
  failed = 0,
  heldBack = 0,
  oldestMs = 0,
}: Summary['queue']): string {
  if (backend === undefined) return 'away, and not heard of yet';
  const counts = countsText({ waiting, 'held back': heldBack, 'set aside': failed }) || 'empty';
  const since = heldBack > 0 ? `, the oldest share for ${formatDuration(oldestMs)}` : '';
  return `${backend}${isUp ? '' : ' is away; the last known'}: ${counts}${since}`;
}

/** How many of each are worth a line of their own. */
const SHOWN = { offset: 0, limit: 3 };

/** Over the last five minutes. */
async function fastestRigs({ watch }: Bridge): Promise<string[]> {
  const { total, items } = await watch.rigs(SHOWN);
  const lines = items.map(({ account, rig, hashRates }) => {
    const { hashesPerSecond = 0, standardError = 0 } = hashRates[1] ?? {};
    const name = `${account.length > 16 ? `${account.slice(0, 15)}…` : account}${rig && `.${rig}`}`;
    return row('rig', `${name}  ${formatHashRate(hashesPerSecond)} ± ${formatHashRate(standardError)}`);
  });
  return total > items.length ? [...lines, row('', `and ${total - items.length} more`)] : lines;
}

function whomOf({ kind, login, address }: Pick<Ban, 'kind' | 'login' | 'address'>): string {
  const who = kind === 'account' ? `all rigs of ${login}` : login;
  return [who, address && `at ${address}`].filter(Boolean).join(' ');
}

function drainLines({ watch }: Bridge): string[] {
  const { state, sessions, left } = watch.drain();
  if (state === 'off') return [];
  const words = { draining: 'under way', drained: 'done', timeUp: 'its time is over' }[state];
  return [row('drain', `${words}: ${left} of ${sessions} sessions are still here`)];
}

function banLines({ watch }: Bridge): string[] {
  const bans = watch.bans();
  const shown = bans.slice(0, SHOWN.limit);
  const lines = shown.map(({ reason, until, ...ban }) =>
    row('banned', `${whomOf(ban)}${until === null ? '' : ` until ${until}`}: ${reason}`),
  );
  return bans.length > shown.length ? [...lines, row('', `and ${bans.length - shown.length} more`)] : lines;
}
