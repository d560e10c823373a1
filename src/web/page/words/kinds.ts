/** What kinds of things happen, in groups that people look for. A kind that is not here yet is among all of them. */
import { EVENT_GROUPS, type EventGroup } from '../../../operations/enums.js';

export interface KindGroup {
  /** As the address has it. */
  readonly name: string;
  readonly words: string;
  readonly kinds: readonly string[];
}

const WORDS: Readonly<Record<EventGroup, string>> = {
  blocks: 'Blocks',
  nodes: 'Nodes',
  rigs: 'Rigs and bans',
  payouts: 'Payouts',
  bridges: 'Starts, stops and settings',
  books: 'Ledger and queue',
  alerts: 'Alerts',
};

export const KIND_GROUPS: readonly KindGroup[] = Object.entries(EVENT_GROUPS).map(([name, kinds]) => ({
  ...{ name, words: WORDS[name as EventGroup], kinds },
}));

/** `block found` of `blockFound`. */
export function kindWords(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
