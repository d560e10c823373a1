/** What `doctor` looks at, but for the books. Each check tries the real thing and is put away again. */

import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { kernelAdvice } from '../../../workers/kernel-advice.js';
import { chooseKernel } from '../../../workers/kernels.js';
import { nodeConnectionFrom } from '../../assembly/chains/node-connection.js';
import type { Finding } from '../../assembly/finding.js';
import { NodeError, rootMessage } from '../../chain/errors.js';
import { lineFileFault } from '../../cli/screen/line-file.js';
import { formatHashRate } from '../../cli/screen/units.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { ListenAddress } from '../../core/names/listening.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import { bridgeFoldersIn, lockBridgeFolder } from '../../files/bridge-folders.js';
import { FileError } from '../../files/file-error.js';
import { lockFileOf } from '../../files/folder-lock.js';
import { type ClientOptions, type Miner, NodeClient, type Work } from '../../node-client/client.js';
import { CACHED, explain } from '../../upstream/explain.js';
import { APART_MS } from '../../upstream/works/odd-answers.js';
import { isLoopback } from '../../web/api/address.js';

const CONNECT_TIMEOUT_MS = 5_000;
const WORK_TIMEOUT_MS = 10_000;
/** Header times must not be ahead of the node's clock, so a skew costs freshness before it costs blocks. */
const TOLERATED_SKEW_MS = 5_000;

/** One node that gives work is enough; faults of the others become warnings then. */
export async function checkNodes(config: BridgeConfig, miner: Miner): Promise<Finding[]> {
  const connect = nodeConnectionFrom(config);
  const nodes = await Promise.all(config['node.urls'].map((url) => checkNode(url, miner, connect)));
  const network = nodes.find((node) => node.network !== undefined)?.network ?? '';
  const groups = nodes.map((node) => [...node.findings, ...checkNetwork(node, network)]);
  const oneWorks = groups.some((group) => group.every((finding) => finding.state !== 'fault'));
  const soften = (finding: Finding): Finding =>
    oneWorks && finding.state === 'fault' ? { ...finding, state: 'warning' } : finding;
  return groups.flat().map(soften);
}

interface NodeFindings {
  readonly what: string;
  /** Absent when the node could not be reached. */
  readonly network?: string;
  readonly findings: readonly Finding[];
}

function checkNetwork({ what, network = '' }: NodeFindings, first: string): Finding[] {
  if (network === '' || network === first) return [];
  const detail = `it is a node of ${network}, and the first one is of ${first}`;
  return [{ state: 'fault', what, detail, advice: 'name only nodes of one network' }];
}

async function checkNode(url: string, miner: Miner, connect: ClientOptions): Promise<NodeFindings> {
  const what = `node ${nodeNameOf(url)}`;
  let client: NodeClient;
  try {
    client = await NodeClient.connect({ nodes: url, timeoutMs: CONNECT_TIMEOUT_MS, ...connect });
  } catch (error) {
    const advice =
      error instanceof NodeError
        ? error.advice
        : 'is the node running, and is this its service port (1848 by default)?';
    return { what, findings: [{ state: 'fault', what, detail: rootMessage(error), advice }] };
  }
  try {
    const { network, baseUrl } = client.address;
    const reached: Finding = {
      state: 'good',
      what,
      detail: `network ${network} at ${nodeNameOf(baseUrl)}`,
    };
    const findings = [reached, await checkClock(what, client), await checkWork(what, client, miner)];
    return { what, network, findings };
  } finally {
    await client.close();
  }
}

async function checkClock(node: string, client: NodeClient): Promise<Finding> {
  const what = `${node}, clock`;
  let clockMs: number | undefined;
  await client.maintenance.info({
    onAnswer: ({ facts }) => {
      clockMs = facts.clockMs;
    },
  });
  if (clockMs === undefined) return { state: 'warning', what, detail: 'the node does not tell its time' };
  const skewMs = Date.now() - clockMs;
  const detail = `this machine is ${(Math.abs(skewMs) / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(skewMs) <= TOLERATED_SKEW_MS) return { state: 'good', what, detail };
  return { state: 'warning', what, detail, advice: 'keep both clocks right with NTP' };
}

async function checkWork(node: string, client: NodeClient, miner: Miner): Promise<Finding> {
  const what = `${node}, mining for ${miner.account}`;
  try {
    const { chainId, fields } = await client.work({ miner, timeoutMs: WORK_TIMEOUT_MS });
    if (await isRepeated(client, miner, chainId)) return { state: 'warning', what, detail: CACHED };
    return { state: 'good', what, detail: `gives work, now of chain ${chainId} at height ${fields.height}` };
  } catch (error) {
    const detail = error instanceof NodeError ? explain(error).reason : rootMessage(error);
    const advice = `then ask again: stratum-bridge doctor --node-urls ${nodeNameOf(client.address.baseUrl)}`;
    return { state: 'fault', what, detail, advice };
  }
}

/** Whether the same question has the same answer for longer than a node's clock stands. */
async function isRepeated(client: NodeClient, miner: Miner, chainId: number): Promise<boolean> {
  const ask = (): Promise<Work> => client.work({ miner, chainId, timeoutMs: WORK_TIMEOUT_MS });
  const first = await ask();
  await sleep(APART_MS);
  const { fields } = await ask();
  return fields.creationTime === first.fields.creationTime;
}

/** In words; `undefined` when no bridge works on this data directory now. */
export function runningBridge(dataDir: string): string | undefined {
  return bridgeFoldersIn(dataDir).map(useOf).find(Boolean);
}

function useOf(folder: string): string | undefined {
  // Every bridge leaves this file, and a look makes none.
  if (!existsSync(lockFileOf(folder, 'bridge'))) return undefined;
  try {
    lockBridgeFolder(folder).release();
    return undefined;
  } catch (error) {
    // What else is wrong with the folder is told where it is tried.
    return error instanceof FileError && error.code === 'in-use' ? beforeAdvice(error.message) : undefined;
  }
}

function beforeAdvice(message: string): string {
  return message.replace(/; stop that one first.*/, ' by a bridge that runs');
}

/** @param beside a bridge that runs, which has the ports already. */
export async function checkPorts(config: BridgeConfig, beside: boolean): Promise<Finding[]> {
  const checks = placesOf(config).map(async ([key, address]): Promise<Finding> => {
    if (address === 'off') return { state: 'good', what: key, detail: 'off' };
    const shown = `${address.host}:${address.port}`;
    const error = await listenError(address);
    if (!error && beside)
      return {
        state: 'warning',
        what: key,
        detail: `nobody listens on ${shown}`,
        advice: 'does the bridge that runs here have other settings?',
      };
    if (!error) return { state: 'good', what: key, detail: `${shown} is free` };
    if (beside && error.code === 'EADDRINUSE')
      return { state: 'good', what: key, detail: `${shown} is in use, as it should be while a bridge runs` };
    const advice = 'stop what uses it (a bridge that runs already?) or choose another address';
    return { state: 'fault', what: key, detail: `${shown}: ${error.message}`, advice };
  });
  return Promise.all(checks);
}

/** Ports that are off, too, unless others stand in their place. */
function placesOf(config: BridgeConfig): (readonly [what: string, address: ListenAddress | 'off'])[] {
  const ports = config['stratum.ports'].map(
    ({ name, listen }) => [`stratum.ports, ${name}`, listen] as const,
  );
  const byDefault = (['stratum.tcp', 'stratum.ws'] as const).map((key) => [key, config[key]] as const);
  return [...(ports.length > 0 ? ports : byDefault), ['web.listen', config['web.listen']]];
}

/** What happens when one listens there; `undefined` when all is well. */
async function listenError({ host, port }: ListenAddress): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}

/** Whom the web answers. */
export function checkWeb(config: BridgeConfig): Finding[] {
  const listen = config['web.listen'];
  if (listen === 'off') return [];
  const isUnnamed = config['web.public'] && config['web.hosts'].length === 0;
  return [checkAccess(config, listen), ...(isUnnamed ? [UNNAMED] : [])];
}

const UNNAMED: Finding = {
  ...{ state: 'warning', what: 'web.hosts' },
  detail: 'it is empty, and web.public is set: anonymous users who ask by a name get no answer',
  advice: 'give the name of the pool with --web-hosts',
};

/** Whether what is told over HTTP, and the tokens that are sent there, can be read on the way. */
function checkAccess(config: BridgeConfig, listen: ListenAddress): Finding {
  const what = 'web, access';
  const isHere = listen.host === 'localhost' || isLoopback(listen.host);
  const isSecure = config['web.tls.certificate'] !== '' || config['web.tls.selfSigned'];
  const whom = config['web.public']
    ? 'anonymous users see what miners may see'
    : 'anonymous users see nothing';
  if (isHere) return { state: 'good', what, detail: `by token or session, from this machine alone; ${whom}` };
  if (isSecure) return { state: 'good', what, detail: `by token or session, over TLS; ${whom}` };
  const detail = `${listen.host}:${listen.port} takes plain HTTP from other machines, tokens too; ${whom}`;
  const advice =
    'set web.tls.certificate and web.tls.key, or web.tls.selfSigned, or let a proxy with TLS stand before it';
  return { state: 'warning', what, detail, advice };
}

/** Private keys that anybody on this machine may read. What cannot be read at all is a fault of the settings. */
export function checkKeyFiles(config: BridgeConfig): Finding[] {
  if (process.platform === 'win32') return [];
  return (['stratum.tls.key', 'web.tls.key'] as const).flatMap((what): Finding[] => {
    const path = config[what];
    const mode = path === '' ? undefined : statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    if ((mode & 0o007) === 0) return [{ state: 'good', what, detail: `${path} has the mode ${shown}` }];
    const detail = `everybody on this machine may use ${path} (mode ${shown})`;
    return [{ state: 'warning', what, detail, advice: `chmod 600 ${path}` }];
  });
}

/** Where the log goes beside the screen, and where events go, if anywhere. */
export function checkLineFiles(config: BridgeConfig): Finding[] {
  return (['log.file', 'events.file'] as const).flatMap((what): Finding[] => {
    const path = config[what];
    if (path === '') return [];
    const fault = lineFileFault(path);
    if (fault) return [{ state: 'fault', what, detail: fault }];
    return [{ state: 'good', what, detail: `${path} can be written` }];
  });
}

/** Which kernel would mine, and how to get a faster one. */
export function checkKernel(config: BridgeConfig): Finding {
  const what = 'CPU kernel';
  const forced = config['cpu.kernel'];
  try {
    const { name, hashesPerSecond } = chooseKernel(forced === 'auto' ? undefined : forced);
    const advice = kernelAdvice(name);
    const detail = `${name}, ${formatHashRate(hashesPerSecond)} a thread`;
    return { state: 'good', what, detail, ...(advice ? { advice } : {}) };
  } catch (error) {
    return { state: 'fault', what, detail: rootMessage(error), advice: 'let cpu.kernel be auto' };
  }
}
