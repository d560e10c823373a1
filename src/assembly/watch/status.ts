/** The bridge in a few lines for the person who watches it. */

import { row, summaryLines } from '../../cli/screen/summary.js';
import { formatHashRate } from '../../cli/screen/units.js';
import type { Running } from '../../cli/service/host.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Ban } from '../../operations/bans.js';
import { formatAddress } from '../../stratum/admission/listener.js';
import type { Bridge } from '../bridge.js';
import { recordOf } from './recorded-events.js';
import { type Link, linkWords } from './web-link.js';

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
    ...(makeLink ? { welcome: welcomeBy(makeLink) } : {}),
    done: bridge.emptied,
    applyLive: (config) => bridge.applyLive(config),
    record: recordOf(bridge.timeline),
  };
}

/** @param makeLink gives none where there is no page. */
export function welcomeBy(makeLink: () => Link | undefined): NonNullable<Running<BridgeConfig>['welcome']> {
  const secret = (): readonly string[] => {
    const link = makeLink();
    return link ? linkWords(link) : [];
  };
  return { secret, says: ASK_FOR_LINK };
}

/** The two of the settings `stratum.tcp` and `stratum.ws` by their names, as ever; those with names of an operator's apart. */
function portFields(ports: Bridge['ports']): object {
  const fields = Object.fromEntries(ports.map(({ name, address }) => [name, formatAddress(address)]));
  return ports.every(({ name }) => name === 'tcp' || name === 'ws') ? fields : { ports: fields };
}

/** For the live screen. */
export function bridgeStatus(bridge: Bridge, summarize = bridge.summary): () => Promise<readonly string[]> {
  return async () => {
    const [summary, fastest] = [await summarize(), await fastestRigs(bridge)];
    const rigs = [...fastest, ...banLines(bridge), ...drainLines(bridge)];
    const rate = rateWords(summary.hashesPerSecond, bridge.cpuHashRate());
    return [...summaryLines(summary, { rate, rigs }), row('web', bridge.webUrl ?? 'off')];
  };
}

function rateWords(ofShares: number, cpu: ReturnType<Bridge['cpuHashRate']>): string {
  const ofCpu = cpu?.hashesPerSecond.reduce((sum, rate) => sum + rate, 0) ?? 0;
  const words = [`${formatHashRate(ofShares)} by shares`];
  if (ofCpu > 0) words.push(`${formatHashRate(ofCpu)} by the CPU here`);
  if (cpu?.rests) words.push(ofCpu > 0 ? cpu.rests : `the CPU rests: ${cpu.rests}`);
  return words.join(', ');
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
