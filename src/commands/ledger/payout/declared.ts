/** Commands for keys, as help shows them. */

import { type Command, defineCommand } from '../../../cli/line/command.js';
import { KEY_CHECK_SETTINGS, KEY_NEW_SETTINGS, KEY_PASSWD_SETTINGS } from './key-settings.js';

export const key: Command = {
  summary: 'a key that signs transfers: make it, look at it, change its passphrase',
  about:
    'A key is a file (mode 0600, for config/signer.js) and the log beside it of what it has signed, without which it signs ' +
    'nothing. Both move together. No passphrase is ever taken from the command line or a variable: others see those.',
  commands: {
    new: defineCommand({
      summary: 'make a new key and its log, and print the account that it pays from',
      about:
        'Nothing is written over. Keep a copy of the file elsewhere. ' +
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
        'Opens the key and signs a trial with it; exit code 1 where it or its log cannot be used. A signer that runs with it is not disturbed.',
      settings: KEY_CHECK_SETTINGS,
      examples: ['ledger payout key check --file payouts.key'],
      run: async (asked) => (await import('./key.js')).check(asked),
    }),
    passwd: defineCommand({
      summary: 'give it another passphrase, a first one, or none',
      about:
        'A signer that runs with it goes on, and needs the new one at its next start. Copies keep the passphrase that they have.',
      settings: KEY_PASSWD_SETTINGS,
      examples: [
        'ledger payout key passwd --file payouts.key',
        'ledger payout key passwd --file payouts.key --new-passphrase none',
      ],
      run: async (asked) => (await import('./key.js')).passwd(asked),
    }),
  },
};
