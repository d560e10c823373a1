/** What kinds of things happen, in groups that people look for. A kind that is not here yet is among all of them. */
import { EVENT_GROUPS, type EventGroup, type EventKind } from '../../../operations/enums.js';

export interface KindGroup {
  /** As the address has it. */
  readonly name: string;
  readonly words: string;
  /** `undefined`: all there are. */
  readonly kinds: readonly string[] | undefined;
}

const WORDS: Readonly<Record<EventGroup, string>> = {
  blocks: 'Blocks',
  nodes: 'Nodes',
  rigs: 'Rigs and bans',
  payouts: 'Payouts',
  bridges: 'Bridges and settings',
  books: 'Ledger and queue',
  alerts: 'Alerts',
};

/** What each block goes through, in order. A block that is taken back later is told apart. */
export const BLOCK_STEPS: Readonly<Partial<Record<string, string>>> = {
  blockFound: 'found',
  blockAccepted: 'accepted',
  blockRejected: 'rejected',
  blockConfirmed: 'confirmed',
};
const AS_USUAL = ['blockFound', 'blockAccepted', 'blockConfirmed', 'rootSigned'];

const ALL: readonly string[] = Object.values(EVENT_GROUPS).flat();

/** The first one where none is chosen: of blocks and roots, which are most of what happens, it has what went wrong. */
export const KIND_GROUPS: readonly KindGroup[] = [
  { name: '', words: 'Without blocks', kinds: ALL.filter((kind) => !AS_USUAL.includes(kind)) },
  { name: 'all', words: 'Everything', kinds: undefined },
  ...Object.entries(EVENT_GROUPS).map(([name, kinds]) => ({
    ...{ name, words: WORDS[name as EventGroup], kinds },
  })),
];

export function groupOf(kind: string): EventGroup | undefined {
  const groups = Object.entries(EVENT_GROUPS) as [EventGroup, readonly string[]][];
  return groups.find(([, kinds]) => kinds.includes(kind))?.[0];
}

const LOOKS: Readonly<Partial<Record<EventKind, 'good' | 'warning'>>> = {
  ...{ blockRejected: 'warning', blockOrphaned: 'warning', blockReversed: 'warning' },
  ...{ blockPaysAnother: 'warning', chainBegunAnew: 'warning', payerPaused: 'warning' },
  ...{ ledgerAway: 'warning', ledgerBack: 'good', queueAway: 'warning', queueBack: 'good' },
  ...{ linesMissing: 'warning', reloadRefused: 'warning', alertOpened: 'warning', alertResolved: 'good' },
};

/** How much it concerns whoever reads it. */
export function lookOf(kind: string, facts: Readonly<Record<string, unknown>>): 'good' | 'warning' | '' {
  if (kind === 'nodeState') return facts['state'] === 'healthy' ? 'good' : 'warning';
  return LOOKS[kind as EventKind] ?? '';
}

/** `block found` of `blockFound`. */
export function kindWords(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
