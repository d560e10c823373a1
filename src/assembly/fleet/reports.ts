/** What fronts have told of themselves, as if one process had it all. */
import type { Beat } from '../../bridge/fleet/ports.js';
import { type Port, portsOf } from '../../config/ports.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { FrontProcess } from '../../fleet/hub/front-process.js';
import type { BoundSocket } from '../../fleet/hub/sockets.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import type { OpenPort } from '../../stratum/door/ports.js';
import type { ProcessReport } from '../../web/state/processes.js';

type Told = Pick<FrontProcess, 'index' | 'pid' | 'beat'>;

const NO_NUMBERS = {
  ...{ sessions: 0, cpuSeconds: 0, rssBytes: 0, loopDelayMs: 0, logBytes: 0, unshipped: 0 },
};

export function processReport({ index, pid = 0, beat }: Told, state: ProcessReport['state']): ProcessReport {
  return { kind: 'front', number: index, pid, state, ...(beat ? numbersOf(beat) : NO_NUMBERS) };
}

function numbersOf({ sessions, cpuSeconds, rssBytes, loopDelayMs, logBytes, unshipped }: Beat) {
  return { sessions, cpuSeconds, rssBytes, loopDelayMs, logBytes, unshipped };
}

export function openPorts(
  config: BridgeConfig,
  sockets: readonly BoundSocket[],
  fronts: readonly Told[],
): readonly OpenPort[] {
  const settings = new Map(portsOf(config).map((port) => [port.name, port]));
  return sockets.flatMap(({ name, address }) => {
    const port = settings.get(name);
    if (!port) return [];
    const sessions = fronts.reduce((sum, { beat }) => sum + (beat?.ports[name] ?? 0), 0);
    return [{ name, transport: port.transport, address, tls: tlsOf(port, config), sessions }];
  });
}

function tlsOf({ tls }: Port, config: BridgeConfig): OpenPort['tls'] {
  const hasCertificate = config['stratum.tls.selfSigned'] || config['stratum.tls.certificateFile'] !== '';
  return hasCertificate ? tls : 'off';
}

/** Shares in their logs. */
export function heldBy(fronts: readonly Told[]): ShareQueue['held'] {
  const beats = fronts.flatMap(({ beat }) => beat ?? []);
  const sum = (of: 'unshipped' | 'logBytes'): number => beats.reduce((all, beat) => all + beat[of], 0);
  const oldestMs = beats.reduce((oldest, beat) => Math.max(oldest, beat.oldestMs), 0);
  return { unshipped: sum('unshipped'), oldestMs, logBytes: sum('logBytes') };
}
