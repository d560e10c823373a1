/** `stratum-bridge keygen`: an account to be paid to. */
import { defineCommand } from '../cli/line/command.js';
import { KEYGEN_SETTINGS, WISH_SETTINGS } from './keygen/settings.js';

export const command = defineCommand({
  summary: 'make an Ed25519 key pair for a mining account',
  about:
    'Prints a new account (k: and the public key) with its keys as hex, as JSON when piped. ' +
    'The secret key is shown once and kept nowhere: store it where only you can read it. ' +
    'Mining needs the account only; the secret key spends what it earns.',
  settings: KEYGEN_SETTINGS,
  examples: ['keygen', 'keygen --out account.json'],
  run: async (asked) => (await import('./keygen/run.js')).run(asked),
  commands: {
    proofs: defineCommand({
      summary:
        "sign that you ask a pool for proofs of what your account did, to check your split on the pool's page",
      about:
        'Prints what the page of your account takes, signed with the key in the file, for an hour. The key stays here. `stratum-bridge audit` does all of it by itself.',
      words: '<file>',
      settings: {},
      examples: ['keygen proofs account.json'],
      run: async (asked) => (await import('./keygen/proofs.js')).proofs(asked),
    }),
    wish: defineCommand({
      summary:
        'sign from which balance on and on which chain a pool is to pay your account, and whom it passes parts on to',
      about:
        'Prints what `POST /api/v1/accounts/ACCOUNT/wish` of a pool takes, signed with the key in the file. The key stays here. A later wish takes the place of this one.',
      words: '<file>',
      settings: WISH_SETTINGS,
      examples: [
        'keygen wish account.json --pool 3f9a… --minimum 5 --chain 3',
        'keygen wish account.json --pool 3f9a… --beneficiaries k:…=12.5%',
      ],
      run: async (asked) => (await import('./keygen/wish.js')).wish(asked),
    }),
  },
});
