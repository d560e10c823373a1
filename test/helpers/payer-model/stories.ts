/** Stories of the payer in which one of its rules is needed, each with what comes out where it does not hold. */
import type { Rule } from './rules.js';

/** It may pay: the wait of its taking is over. */
export const READY = 'income 0 1 | learn | take 0 | pass 4 3 nothing';

export const WITHOUT: readonly [Rule, string, string][] = [
  ['readsAll', 'paid twice', `${READY} | pay 0 0 | crash 0 | pass 1 1 oldest | pass 2 1 nothing`],
  ['covers', 'paid twice', `${READY} | pay 0 0 | promote`],
  ['comparesToken', 'paid twice', `${READY} | pay 0 0 | promote`],
  [
    'alwaysWaits',
    'paid twice',
    'take 1 | pass 4 3 nothing | income 0 1 | learn | pay 1 0 | promote | follow 0',
  ],
  ['takesLater', 'paid twice', 'income 0 1 | learn | clock 8 | take 1 | pay 1 0 | promote | take 0'],
  ['entersAlways', 'paid twice', `${READY} | pay 0 0 | promote | pass 2 1 newest | pass 1 1 nothing`],
  ['holderPauses', 'paused for nothing', `${READY} | pay 0 0 | promote | pass 2 1 newest | pass 1 1 nothing`],
  ['settlesSkipped', 'paid twice', `${READY} | pay 0 1 | mine 1 1 newest true true`],
  [
    'waitsForAll',
    'paid twice',
    `${READY} | sync | pay 0 1 | promote | take 1${' | mine 0 4 nothing'.repeat(4)} | follow 0 | pay 1 0 | mine 1 1 all | mine 0 1 all`,
  ],
  [
    'reopensDead',
    'paid twice',
    `${READY} | pay 0 0${' | mine 0 4 nothing'.repeat(4)} | follow 0 | reorganise 0 4 1 nothing | undo 0 | pay 0 0 | mine 0 1 all`,
  ],
  [
    'standsStill',
    'books differ',
    `${READY} | pay 0 1 | pass 2 1 nothing | pass 4 2 nothing | reorganise 1 3 1 nothing | pay 0 0`,
  ],
];

/** What was paid is met beside another one of its line. */
export const BESIDE = `${READY} | plan 0 0 | sync | build 0 | sign 0 | send 0 | promote | build 0 | mine 0 1 oldest${' | mine 0 1 nothing'.repeat(2)} | follow 0`;

const four = (step: string): string => ` | ${step}`.repeat(4);

/** Histories in which the ledger was once otherwise than the model. */
export const FAULTS: readonly [what: string, story: string][] = [
  [
    'enters a command of books that went back to before anybody paid',
    `${READY} | pay 0 0 | promote | pass 2 1 newest | pass 1 1 nothing`,
  ],
  [
    'pays again what was entered, when its block is taken back and its time is over',
    `${READY} | pay 0 0 | promote | take 0 | mine 0 1 all | mine 0 1 nothing | mine 0 1 nothing | follow 0 | reorganise 0 3 4 nothing | undo 0 | follow 0`,
  ],
  [
    'knows a command again that people have entered, when a block has it',
    `${READY} | pay 0 1 | promote | take 0 | mine 1 1 newest true true | mine 1 1 nothing | mine 1 1 nothing | follow 1 | skip 1 | reorganise 1 3 1 newest | undo 1`,
  ],
  [
    'waits once more where a cursor is taken back to before what was waited for',
    `${READY} | pay 0 0 | promote | take 0${four('mine 0 4 nothing')}${four('mine 1 4 nothing')} | follow 0 | follow 1 | build 0 | learn | reorganise 0 4 1 nothing | undo 0 | pay 0 0 | mine 0 1 all`,
  ],
];
