/** What a rig is told to connect to: made of where the bridge listens and of how this page was reached. */
import type { Doors } from '../reading/answers.js';

export interface ConnectLine {
  readonly label: string;
  readonly url: string;
}

type Door = NonNullable<Doors['tcp']>;

/** @param asked the name or address in the URL of this page; an IPv6 one in brackets. */
export function connectLines({ tcp, ws }: Doors, asked: string): ConnectLine[] {
  const line = (label: string, scheme: string, door: Door): ConnectLine => ({
    label,
    url: `${scheme}://${hostFor(door, asked)}:${door.port}`,
  });
  return [
    ...(tcp ? [line('TCP', 'stratum+tcp', tcp)] : []),
    ...(tcp?.tls ? [line('TCP with TLS', 'stratum+ssl', tcp)] : []),
    ...(ws ? [line('WebSocket', 'ws', ws)] : []),
    ...(ws?.tls ? [line('WebSocket with TLS', 'wss', ws)] : []),
  ];
}

/** Who looks from another machine than the bridge's knows a name that leads there; for who does not, it listens somewhere. */
function hostFor({ host }: Door, asked: string): string {
  const isOne = !isEvery(host) && !isLoopback(host);
  return isOne && isLoopback(asked) ? bracketed(host) : asked;
}

export interface Reach {
  readonly says: string;
  /** What ends the sentence: to be typed. */
  readonly flag?: string;
}

/** What else somebody has to know who wants to connect; `undefined` when nothing. */
export function reachOf({ tcp, ws }: Doors, asked: string): Reach | undefined {
  const hosts = [tcp, ws].flatMap((door) => (door ? [door.host] : []));
  if (hosts.length === 0) return undefined;
  if (hosts.every(isLoopback))
    return {
      says: 'The bridge takes rigs of its own machine alone. For others start it with',
      flag: '--tcp 0.0.0.0:1917',
    };
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
