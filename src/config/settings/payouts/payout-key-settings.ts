/** What `ledger payout key`, `plan`, `export` and `import` are told. Of a key nothing is told but where its passphrase is. */
import { LEDGER_SETTINGS } from '../ledger-settings.js';
import { onOff, type Settings, setting } from '../setting.js';

const flagOnly = true;
const WHERE = 'prompt (a terminal), fd:3 (a file descriptor) or credential:NAME (of systemd)';

const file = setting((v) => v.text, {
  default: '',
  shape: 'FILE',
  help: 'The key file, such as payouts.key; payouts.signer-log beside it is its log.',
  flagOnly,
});
const json = onOff({ default: false, help: 'JSON also on a terminal.', flagOnly });

/** @param help what it is for. */
const passphrase = (help: string) => setting((v) => v.text, { default: '', shape: 'WHERE', help, flagOnly });

export const KEY_NEW_SETTINGS = {
  file,
  passphrase: passphrase(
    `Where the passphrase comes from that the file is to have: ${WHERE}. Without it the file has none.`,
  ),
  json,
} satisfies Settings;

export const KEY_CHECK_SETTINGS = {
  file,
  passphrase: passphrase(
    `Where its passphrase comes from, if it has one: ${WHERE}. On a terminal it is asked for.`,
  ),
  json,
} satisfies Settings;

export const KEY_PASSWD_SETTINGS = {
  ...KEY_CHECK_SETTINGS,
  newPassphrase: passphrase(
    `Where the new one comes from: ${WHERE}; none: the file has no passphrase any more. On a terminal it is asked for.`,
  ),
} satisfies Settings;

export const PLAN_SETTINGS = {
  ...LEDGER_SETTINGS,
  only: setting((v) => v.text, {
    default: '',
    shape: 'ACCOUNT',
    help: 'Show what this account gets. The plan is made with all of them.',
    flagOnly,
  }),
  chain: setting(
    (v) => v.wordOr('all', v.quantity('count', 0, 2 ** 31 - 1), 'is neither all nor the number of a chain'),
    {
      default: 'all',
      shape: 'CHAIN',
      help: 'Show what is paid there. The plan is made with all chains.',
      flagOnly,
    },
  ),
} satisfies Settings;

export type PlanSettings = typeof PLAN_SETTINGS;
