/** How many connections of rigs this process can have files for: nodes, ledger and queue need theirs first. */

import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import type { StratumLimits } from '../../stratum/admission/limits.js';
import type { Finding } from '../finding.js';
import { limitsFrom } from './limits.js';

/** Ledger, queue, listeners, web, logs, threads. */
const OF_THE_BRIDGE = 512;
/** Streams, kept connections and those for solutions. */
const OF_EACH_NODE = 32;

/** The soft limit, which Node.js raises as far as it may at its start; infinite where the system has none. */
export function openFilesLimit(): number {
  // Without this a report looks up the names of all peers.
  (process.report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
}

/**
 * Connections in all and of one address as the settings have them, or fewer of both in the same proportion where the limit of
 * open files is lower: else one address could have all. At least half of the files are left to rigs.
 */
export function connectionsWithin(
  config: BridgeConfig,
  files: number,
): Pick<StratumLimits, 'connections' | 'connectionsPerAddress'> {
  const needed = Math.min(OF_THE_BRIDGE + OF_EACH_NODE * config['node.urls'].length, Math.floor(files / 2));
  const wanted = limitsFrom(config);
  const connections = Math.min(wanted.connections, files - needed);
  const ofAddress = Math.ceil((wanted.connectionsPerAddress * connections) / wanted.connections);
  return { connections, connectionsPerAddress: ofAddress };
}

/** What to tell whoever asked for more connections than there are files for. */
function tooFewFiles(config: BridgeConfig, files: number): { detail: string; advice: string } | undefined {
  const wanted = limitsFrom(config).connections;
  const { connections: possible, connectionsPerAddress } = connectionsWithin(config, files);
  if (possible >= wanted) return undefined;
  return {
    detail: `at most ${possible} rigs can connect, ${connectionsPerAddress} of one address, not the ${wanted} of stratum.limits.connections: this process may open ${files} files, and needs ${files - possible} itself`,
    advice: 'raise the limit (ulimit -n, or LimitNOFILE in systemd), or lower stratum.limits.connections',
  };
}

/** In the log, where there are too few. */
export function tellOfFiles(config: BridgeConfig, files: number, log: Log): void {
  const few = tooFewFiles(config, files);
  if (few) log.warn({ event: 'files', advice: few.advice }, few.detail);
}

export function checkOpenFiles(config: BridgeConfig, files = openFilesLimit()): Finding {
  const what = 'open files';
  const few = tooFewFiles(config, files);
  if (few) return { state: 'warning', what, ...few };
  const limit = Number.isFinite(files) ? files : 'no limit';
  return { state: 'good', what, detail: `${limit}: enough for ${limitsFrom(config).connections} rigs` };
}
