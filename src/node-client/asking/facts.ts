/** What the headers of every answer tell of a node (`node-interface.md`, section 1). */
import type { HttpAnswer } from './http.js';

export interface NodeFacts {
  /** The node's clock, milliseconds since the epoch, to the second: `x-server-timestamp`, else `Date`. */
  readonly clockMs: number | undefined;
  /** Version of its software, for example `2.32`. */
  readonly softwareVersion: string | undefined;
  /** Our host and port as the node sees them; real nodes say so on their peer port only. */
  readonly seenAs: string | undefined;
}

export function factsIn({ headers }: Pick<HttpAnswer, 'headers'>): NodeFacts {
  const text = (name: string): string | undefined => [headers[name]].flat()[0];
  const seconds = Number(text('x-server-timestamp'));
  return {
    clockMs: Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : timeOf(text('date')),
    softwareVersion: text('x-ledger-node-version') ?? text('x-chainweb-node-version'),
    seenAs: text('x-peer-addr'),
  };
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? undefined : time;
}
