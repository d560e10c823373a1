/** From what an operator types to the whole base URL of a node. */

import { NodeError } from '../../chain/errors.js';
import { infoModel, type NodeInfo } from '../../chain/models.js';
import { statusError } from './failures.js';
import type { NodeHttp } from './http.js';

export interface NodeAddress {
  /** `scheme://host:port/<service segment>/<api version>/<network>`, without a slash at its end. */
  readonly baseUrl: string;
  readonly network: string;
  /** Absent where `/info` is served neither at the base nor at the root. */
  readonly info?: NodeInfo;
  /** Where that was. */
  readonly infoUrl?: string;
}

const SERVICE_SEGMENT = 'chainweb';
const API_VERSION = '0.0';
/** Where `/config` names the network: in this dialect, or in that of the specification. */
const NETWORK_KEYS = ['chainwebVersion', 'ledgerVersion'];
/** What may stand in a path as it is. */
const NETWORK_NAME = /^[\w.-]{1,64}$/;

/**
 * A URL with a path is the whole base. One without names only scheme, host and port: then `/info` at the root tells the rest, or
 * `/config` there says of which network the base is that serves it.
 *
 * Throws {@link NodeError}: `unreachable` or `timeout` when nobody answers, `not-a-node` when what answers is none.
 */
export async function locateNode(http: NodeHttp, url: string, timeoutMs: number): Promise<NodeAddress> {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  if (path !== '') return locateWhole(http, origin, `${origin}${path}`, timeoutMs);
  const atRoot = await askInfo(http, origin, timeoutMs);
  if (atRoot) return addressFrom(origin, atRoot);
  const network = await askNetwork(http, origin, timeoutMs);
  const base = `${origin}/${SERVICE_SEGMENT}/${API_VERSION}/${network}`;
  const found = network === undefined ? undefined : await askInfo(http, base, timeoutMs);
  if (found) return addressFrom(origin, found);
  const advice = 'is this the service port (1848 by default), and if so, what is the whole base URL?';
  throw new NodeError('not-a-node', `${origin} serves no /info: ${advice}`, { url: origin });
}

async function locateWhole(
  http: NodeHttp,
  origin: string,
  baseUrl: string,
  timeoutMs: number,
): Promise<NodeAddress> {
  const found = (await askInfo(http, baseUrl, timeoutMs)) ?? (await askInfo(http, origin, timeoutMs));
  if (found && found.infoUrl !== `${baseUrl}/info`) await checkPath(http, baseUrl, origin, found, timeoutMs);
  const address = { ...wholeAddress(baseUrl), ...found };
  return found ? { ...address, network: found.info.nodeVersion } : address;
}

/** As the path has it. */
export function wholeAddress(url: string): NodeAddress {
  const { origin, pathname } = new URL(url);
  const baseUrl = origin + pathname.replace(/\/+$/, '');
  return { baseUrl, network: baseUrl.slice(baseUrl.lastIndexOf('/') + 1) };
}

/** Real nodes tell of themselves at the root alone, which says nothing about the path: a typo there would look like a node without mining. */
async function checkPath(
  http: NodeHttp,
  baseUrl: string,
  origin: string,
  found: FoundInfo,
  timeoutMs: number,
): Promise<void> {
  const due = addressFrom(origin, found).baseUrl;
  if (baseUrl === due) return;
  const { status } = await http.ask({ method: 'GET', url: `${baseUrl}/cut`, timeoutMs });
  if (status !== 404) return;
  const message = `${baseUrl} serves nothing (404): by its /info this node is ${due}`;
  throw new NodeError('not-a-node', message, { url: baseUrl, advice: `check the path: write ${due}` });
}

function addressFrom(origin: string, found: FoundInfo): NodeAddress {
  const { nodeApiVersion, nodeVersion } = found.info;
  const baseUrl = `${origin}/${SERVICE_SEGMENT}/${nodeApiVersion}/${nodeVersion}`;
  return { baseUrl, network: nodeVersion, ...found };
}

type FoundInfo = Required<Pick<NodeAddress, 'info' | 'infoUrl'>>;

/** Statuses that say "nothing here"; others are a reason of their own, which is told. */
const NOT_HERE = [403, 404, 405, 406, 410];

/** As the node's configuration names it; `undefined` where none is served. */
async function askNetwork(http: NodeHttp, origin: string, timeoutMs: number): Promise<string | undefined> {
  const { status, body } = await http.ask({ method: 'GET', url: `${origin}/config`, timeoutMs });
  if (status !== 200) return undefined;
  try {
    const config = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null;
    const names = NETWORK_KEYS.map((key) => config?.[key]);
    return names.find((name): name is string => typeof name === 'string' && NETWORK_NAME.test(name));
  } catch {
    return undefined; // not JSON: something else is served there
  }
}

/** `undefined` when something else than a node's information stands there. Throws {@link NodeError} `status` when none may look. */
async function askInfo(http: NodeHttp, prefix: string, timeoutMs: number): Promise<FoundInfo | undefined> {
  const infoUrl = `${prefix}/info`;
  const asked = { method: 'GET', url: infoUrl, endpoint: 'GET /info', timeoutMs } as const;
  const answer = await http.ask(asked);
  const { status, body } = answer;
  if (status >= 300 && !NOT_HERE.includes(status)) throw statusError(asked, answer);
  if (status !== 200) return undefined;
  try {
    const info = infoModel.safeParse(JSON.parse(body.toString('utf8'))).data;
    return info && { info, infoUrl };
  } catch {
    return undefined; // not JSON: something else is served there
  }
}

/** User and password of a URL, as a header. */
export function credentialsIn(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const text = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** As the URL standard decodes: a `%` that begins no code is itself. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
