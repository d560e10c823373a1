/** The bridge in a few lines for the person who watches it. */
import type { Log } from '../core/log.js';
import type { Summary } from '../web/summary.js';
import type { Bridge } from './bridge.js';
import { formatDuration, formatHashRate, formatScaled } from './units.js';

/** One line by which scripts know that all is up. */
export function reportReady(log: Log, { addresses }: Bridge, more: object = {}): void {
  const { tcp, ws, web } = addresses;
  const shown = {
    ...(tcp ? { tcp: `${tcp.host}:${tcp.port}` } : {}),
    ...(ws ? { ws: `${ws.host}:${ws.port}` } : {}),
    ...(web ? { web } : {}),
  };
  log.info({ event: 'ready', ...shown, ...more }, 'ready');
}

/** For {@link Screen.show}. */
export function bridgeStatus(bridge: Bridge): () => Promise<readonly string[]> {
  return async () => statusLines(await bridge.summary(), bridge);
}

function statusLines(summary: Summary, bridge: Bridge): string[] {
  const { nodes, sessions, submits, solutions, queue, ledger, startedAt } = summary;
  const counts = (values: object): string =>
    Object.entries(values)
      .map(([name, count]) => `${name} ${count}`)
      .join('  ');
  const heights = [...bridge.tally.heights].sort(([a], [b]) => a - b);
  const { addresses } = bridge;
  const listening = [addresses.tcp && `tcp ${addresses.tcp.port}`, addresses.ws && `ws ${addresses.ws.port}`];
  return [
    `  stratum-bridge ${summary.version}, up ${formatDuration(Date.now() - Date.parse(startedAt))}`,
    `  nodes      ${nodes.map(({ url, state, network }) => `${url} ${network} ${state}`).join(', ')}`,
    `  hash rate  ${formatHashRate(summary.hashesPerSecond)} from shares, ${formatHashRate(bridge.cpuHashesPerSecond())} by the CPU here`,
    `  sessions   ${sessions}  (${listening.filter(Boolean).join(', ') || 'off'})`,
    ...fastestRigs(bridge),
    ...banLines(bridge),
    `  submits    ${counts(submits)}`,
    `  solutions  ${counts(solutions)}`,
    `  chains     ${heights.map(([chainId, height]) => `${chainId}:${height}`).join('  ') || 'no work yet'}`,
    `  ledger     ${ledgerWords(ledger)}`,
    `  queue      ${queueWords(queue)}`,
    `  web        ${addresses.web ?? 'off'}`,
  ];
}

function ledgerWords({ isUp, shares, work }: Summary['ledger']): string {
  if (shares === undefined) return 'away, and not heard of yet';
  const totals = `${shares} shares, ${formatScaled(Number(work))}hashes`;
  return isUp ? totals : `away; the last known: ${totals}`;
}

function queueWords({ isUp, backend, waiting, failed, spooled }: Summary['queue']): string {
  if (backend === undefined) return 'away, and not heard of yet';
  const set = failed ? `, ${failed} set aside` : '';
  return `${backend}${isUp ? '' : ' is away; the last known'}: ${waiting} waiting, ${spooled} spooled${set}`;
}

/** How many of each are worth a line of their own. */
const SHOWN = { offset: 0, limit: 3 };

/** Over the last five minutes. */
function fastestRigs({ watch }: Bridge): string[] {
  const { total, items } = watch.rigs(SHOWN);
  const lines = items.map(({ account, rig, hashRates }) => {
    const { hashesPerSecond = 0, standardError = 0 } = hashRates[1] ?? {};
    const name = `${account.length > 16 ? `${account.slice(0, 15)}…` : account}${rig && `.${rig}`}`;
    return `  rig        ${name}  ${formatHashRate(hashesPerSecond)} ± ${formatHashRate(standardError)}`;
  });
  return total > items.length ? [...lines, `             and ${total - items.length} more`] : lines;
}

function banLines({ watch }: Bridge): string[] {
  const { total, items } = watch.bans(SHOWN);
  const lines = items.map(
    ({ login, address, reason, untilMs }) =>
      `  banned     ${login && `${login} `}at ${address} until ${new Date(untilMs).toISOString()}: ${reason}`,
  );
  return total > items.length ? [...lines, `             and ${total - items.length} more`] : lines;
}
