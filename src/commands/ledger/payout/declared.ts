/** Commands for keys and for signing elsewhere, and what would be paid, as help shows them. */

import { type Command, defineCommand } from '../../../cli/line/command.js';
import { LEDGER_SETTINGS } from '../settings.js';
import { KEY_CHECK_SETTINGS, KEY_NEW_SETTINGS, KEY_PASSWD_SETTINGS, PLAN_SETTINGS } from './key-settings.js';

const key: Command = {
  summary: 'the key that payments on chain are signed with: make it, look at it, change its passphrase',
  about:
    'A key is a file (mode 0600, for payouts.key or config/signer.js) and the log beside it of what it has signed, without which it signs ' +
    'nothing. Both move together. No passphrase is ever taken from the command line or a variable: others see those.',
  commands: {
    new: defineCommand({
      summary: 'make a new key and its log, and print the account that it pays from',
      about:
        'Nothing is written over. Send coins to the account, on the chains that are to be paid on; keep a copy of the file elsewhere. ' +
        'Run it as the user that is to sign: the file belongs to that one, and others are refused.',
      settings: KEY_NEW_SETTINGS,
      examples: [
        'ledger payout key new --file payouts.key --passphrase prompt',
        'ledger payout key new --file payouts.key --passphrase fd:3 3< passphrase.txt',
      ],
      run: async (asked) => (await import('./key.js')).make(asked),
    }),
    check: defineCommand({
      summary: 'open it, and say its account, owner and mode, and whether its log is whole',
      about:
        'Opens the key and signs a trial with it; exit code 1 where it or its log cannot be used. A bridge that runs with it is not disturbed.',
      settings: KEY_CHECK_SETTINGS,
      examples: ['ledger payout key check --file payouts.key'],
      run: async (asked) => (await import('./key.js')).check(asked),
    }),
    passwd: defineCommand({
      summary: 'give it another passphrase, a first one, or none',
      about:
        'A bridge that runs with it goes on, and needs the new one at its next start. Copies keep the passphrase that they have.',
      settings: KEY_PASSWD_SETTINGS,
      examples: [
        'ledger payout key passwd --file payouts.key',
        'ledger payout key passwd --file payouts.key --new-passphrase none',
      ],
      run: async (asked) => (await import('./key.js')).passwd(asked),
    }),
  },
};

const elsewhere = {
  export: defineCommand({
    summary: 'write out the transactions that wait for signatures, to sign them elsewhere',
    about:
      'For a bridge without a key, or with one of several. The file is a question of quicksign, with what each transaction pays for people to read. ' +
      'Signatures that are there already are in it. That they were given away is in the books first: where its batch is rejected, what was ' +
      'exported is followed until it can come no more. It says until when (by the time of the chain) they must be imported.',
    words: '<file>',
    settings: LEDGER_SETTINGS,
    examples: ['ledger payout export unsigned.json'],
    run: async (asked) => (await import('./elsewhere.js')).exportUnsigned(asked),
  }),
  import: defineCommand({
    summary: 'read signatures of exported transactions; the bridge sends those that are complete',
    about:
      'Takes the answer of a quicksign tool (of config/signer.js, too), or the exported file with signatures filled in. Each is compared with the books: ' +
      "one that is somebody else's, altered, past its time or not signed by its own keys, and nothing of the file is taken. Where several " +
      'keys have to sign, those of some are kept: export again for the others, or import what each of them gives.',
    words: '<file>',
    settings: LEDGER_SETTINGS,
    examples: ['ledger payout import signed.json'],
    run: async (asked) => (await import('./elsewhere.js')).importSigned(asked),
  }),
};

const plan = defineCommand({
  summary: 'what the next batch would pay, on which chains, and who waits or is held; writes nothing',
  about:
    'Goes by the balances as they are now and by the chains as the bridge that pays saw them last, and says how long ago that was: it asks no ' +
    'node. Gas is the most that it can cost. Chains, limits and reserve are those of the settings; a batch may still wait for approval.',
  settings: PLAN_SETTINGS,
  examples: ['ledger payout plan', 'ledger payout plan --payouts-minimum 0.5 --only k:ab12…'],
  run: async (asked) => (await import('./plan.js')).plan(asked),
});

export const forKeys = { plan, key, ...elsewhere };
