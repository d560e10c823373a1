/** What kinds of things happen, in groups that people look for. A kind that is not here yet is among all of them. */

export interface KindGroup {
  /** As the address has it. */
  readonly name: string;
  readonly words: string;
  readonly kinds: readonly string[];
}

export const KIND_GROUPS: readonly KindGroup[] = [
  {
    name: 'blocks',
    words: 'Blocks',
    kinds: [
      ...[
        'blockFound',
        'blockAccepted',
        'blockRejected',
        'blockConfirmed',
        'blockOrphaned',
        'blockReturned',
        'blockPaysAnother',
      ],
    ],
  },
  { name: 'nodes', words: 'Nodes', kinds: ['nodeState', 'nodeSwitched'] },
  {
    name: 'rigs',
    words: 'Rigs and bans',
    kinds: ['banned', 'unbanned', 'sessionClosed', 'difficultyOrdered', 'rigLabelled', 'messageSent'],
  },
  {
    name: 'payouts',
    words: 'Payouts',
    kinds: [
      ...[
        'payoutPrepared',
        'payoutMarked',
        'payoutPaid',
        'paymentsHeld',
        'paymentsReturned',
        'payoutsPaused',
        'payoutWish',
      ],
    ],
  },
  {
    name: 'bridges',
    words: 'Starts, stops and settings',
    kinds: ['started', 'stopped', 'reloaded', 'reloadRefused', 'drain', 'ordered'],
  },
  {
    name: 'books',
    words: 'Ledger and queue',
    kinds: ['ledgerAway', 'ledgerBack', 'queueAway', 'queueBack', 'linesMissing'],
  },
  { name: 'alerts', words: 'Alerts', kinds: ['alertOpened', 'alertResolved'] },
];

/** `block found` of `blockFound`. */
export function kindWords(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
