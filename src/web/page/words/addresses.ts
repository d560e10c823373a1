/**
 * What a rig is told to connect to, made of where the bridge listens and of how this page was reached; and from where it may
 * come, out of settings as they were written.
 */
import type { ListName, Pool, Setting } from '../reading/answers.js';

export interface ConnectLine {
  readonly label: string;
  readonly url: string;
}

type Listener = Pool['ports'][number];

/** Those of the settings stratum.tcp and stratum.ws: what they speak says enough. */
const BY_DEFAULT = ['tcp', 'ws'];

/** @param asked the name or address in the URL of this page; an IPv6 one in brackets. */
export function connectLines(ports: Pool['ports'], asked: string): ConnectLine[] {
  return ports.flatMap((listener) => linesOf(listener, asked));
}

function linesOf(listener: Listener, asked: string): ConnectLine[] {
  const { name, transport, tls } = listener;
  const line = (label: string, scheme: string): ConnectLine => ({
    label: BY_DEFAULT.includes(name) ? label : `${name}: ${label}`,
    url: `${scheme}://${hostFor(listener, asked)}:${listener.port}`,
  });
  const [plain, secure] = [tls !== 'only', tls !== 'off'];
  return [
    ...(transport !== 'ws' && plain ? [line('TCP', 'stratum+tcp')] : []),
    ...(transport !== 'ws' && secure ? [line('TCP with TLS', 'stratum+ssl')] : []),
    ...(transport !== 'tcp' && plain ? [line('WebSocket', 'ws')] : []),
    ...(transport !== 'tcp' && secure ? [line('WebSocket with TLS', 'wss')] : []),
  ];
}

/** Who looks from another machine than the bridge's knows a name that leads there; for who does not, it listens somewhere. */
function hostFor({ host }: Listener, asked: string): string {
  const isOne = !isEvery(host) && !isLoopback(host);
  return isOne && isLoopback(asked) ? bracketed(host) : asked;
}

const HERE_ALONE: Reach = {
  says: 'The bridge takes rigs of its own machine alone. For others start it with',
  flag: '--stratum-tcp 0.0.0.0:1917',
};

interface Reach {
  readonly says: string;
  /** What ends the sentence: to be typed. */
  readonly flag?: string;
}

/** What else somebody has to know who wants to connect; `undefined` when nothing. */
export function reachOf(ports: Pool['ports'], asked: string): Reach | undefined {
  const hosts = ports.map(({ host }) => host);
  if (hosts.length === 0) return undefined;
  if (hosts.every(isLoopback)) return HERE_ALONE;
  if (isLoopback(asked) && hosts.some(isEvery))
    return { says: `From another machine, write the name or address of this one in place of ${asked}` };
  return undefined;
}

function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127\.\d+\.\d+\.\d+|.*\.localhost)$/i.test(host);
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** A line of the lists of who may come. */
export interface Listed {
  readonly list: ListName;
  readonly addresses: string;
  /** Of the settings: which of them, or the port. */
  readonly from?: string;
  /** Who has ordered it. */
  readonly by?: string;
}

const LISTS: readonly ListName[] = ['allow', 'deny'];

/** Those of the bridge, then those of single ports. */
export function listedBySettings(settings: readonly Pick<Setting, 'key' | 'value'>[]): Listed[] {
  const written = (key: string): unknown => settings.find((setting) => setting.key === key)?.value;
  const ofBridge = LISTS.flatMap((list) => rowsOf(list, written(`stratum.${list}`), `stratum.${list}`));
  const ports = written('stratum.ports');
  const ofPorts = (Array.isArray(ports) ? ports : []).flatMap((port: Readonly<Record<string, unknown>>) =>
    LISTS.flatMap((list) => rowsOf(list, port[list], `port ${port['name']}`)),
  );
  return [...ofBridge, ...ofPorts];
}

/** A list of them, or one text, as a variable has them. */
function rowsOf(list: ListName, value: unknown, from: string): Listed[] {
  const all = String(value ?? '').split(/[\s,]+/);
  return all.filter((text) => text !== '').map((addresses) => ({ list, addresses, from }));
}
