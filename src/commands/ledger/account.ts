/** `ledger account show` and `set`. */

import type { Asked } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { nameFault } from '../../core/names/names.js';
import {
  type AccountTerms,
  accountTerms,
  setAccountTerms,
  type TermsChange,
} from '../../ledger/accounts/accounts.js';
import type { Columns } from '../../operations/entry/columns.js';
import { onBooks } from './access.js';
import type { AccountSettings, LedgerSettings } from './settings.js';
import { whoRuns } from './who.js';

const TERMS: Columns<AccountTerms> = {
  account: { kind: 'name', importance: 1 },
  feeBasisPoints: { kind: 'count', importance: 1, heading: 'fee (basis points)' },
  feeSince: { kind: 'time', importance: 3, heading: 'since (UTC)' },
  minimumPayout: { kind: 'amount', importance: 1, heading: 'minimum payout' },
  wishedChain: { kind: 'count', importance: 2, heading: 'wished chain' },
  note: { kind: 'text', importance: 2 },
};

export async function show(asked: Asked<LedgerSettings>): Promise<number> {
  const [name = ''] = asked.words;
  return onBooks(asked, async ({ ledger, ...to }) =>
    print([await accountTerms(ledger.pool, name)], TERMS, to),
  );
}

export async function set(asked: Asked<AccountSettings>): Promise<number> {
  const [name = ''] = asked.words;
  const fault =
    name === '' ? 'the operator has neither fee nor payout' : nameFault({ account: name, rig: '' });
  if (fault) throw new ConfigError([`ledger account set: ${fault}`]);
  const { config, sources } = await asked.load();
  const given = (key: 'fee' | 'minimum' | 'chain' | 'note'): boolean => sources[key] !== 'default';
  const change: TermsChange = {
    ...(given('fee') ? { fee: config.fee } : {}),
    ...(given('minimum') ? { minimumPayout: config.minimum } : {}),
    ...(given('chain') ? { wishedChain: config.chain } : {}),
    ...(given('note') ? { note: config.note } : {}),
  };
  if (Object.keys(change).length === 0)
    throw new ConfigError(['ledger account set: say what: --fee, --minimum, --chain or --note']);
  return onBooks(asked, async ({ ledger, ...to }) =>
    print([await setAccountTerms(ledger.pool, name, change, whoRuns())], TERMS, to),
  );
}
