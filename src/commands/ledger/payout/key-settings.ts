/** What `ledger payout key` is told. Of a key nothing is told but where its passphrase is. */
import { flagsOnly, setting } from '../../../values/setting.js';
import { text } from '../../../values/words.js';
import { FORM_FLAGS } from '../../settings.js';

const WHERE = 'prompt (a terminal), fd:3 (a file descriptor) or credential:NAME (of systemd)';

const file = setting(text, {
  default: '',
  shape: 'FILE',
  help: 'The key file, such as payouts.key; payouts.signer-log beside it is its log.',
});
const { json } = FORM_FLAGS;

/** @param help what it is for. */
const passphrase = (help: string) => setting(text, { default: '', shape: 'WHERE', help });

export const KEY_NEW_SETTINGS = flagsOnly({
  file,
  passphrase: passphrase(
    `Where the passphrase comes from that the file is to have: ${WHERE}. Without it the file has none.`,
  ),
  json,
});

export const KEY_CHECK_SETTINGS = flagsOnly({
  file,
  passphrase: passphrase(
    `Where its passphrase comes from, if it has one: ${WHERE}. On a terminal it is asked for.`,
  ),
  json,
});

export const KEY_PASSWD_SETTINGS = flagsOnly({
  ...KEY_CHECK_SETTINGS,
  newPassphrase: passphrase(
    `Where the new one comes from: ${WHERE}; none: the file has no passphrase any more. On a terminal it is asked for.`,
  ),
});
