/** The link by which an operator opens the page, in words. It is a secret: it is for a terminal, and never for a log. */
import { hostname } from 'node:os';
import { userName } from '../../cli/line/user.js';

export interface Link {
  readonly url: string;
  /** It leads to this machine, as web.url is not set. */
  readonly isForHere: boolean;
}

export function linkWords({ url, isForHere }: Link): readonly string[] {
  const words = [`Page, signed in (this link works once, for an hour): ${url}`];
  if (!isForHere) return words;
  const { port, hostname: host, protocol } = new URL(url);
  const to = port || (protocol === 'https:' ? '443' : '80');
  return [...words, `From another machine first: ssh -N -L ${to}:${host}:${to} ${userName()}@${hostname()}`];
}
