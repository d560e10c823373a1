/** `ledger rules set`. */
import { setRulesFrom } from '../../assembly/books/book-settings.js';
import type { Asked } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { flagName } from '../../config/names.js';
import { askOf } from '../../ledger/database/statements.js';
import { RULES } from '../../ledger/rules/rule-table.js';
import { listRules, makeRules } from '../../ledger/rules/rules.js';
import { ledgerLists } from '../../operations/books/ledger.js';
import { onBooks } from './access.js';
import type { RulesSettings } from './settings.js';
import { whoRuns } from './who.js';

export async function set(asked: Asked<RulesSettings>): Promise<number> {
  const { config, sources } = await asked.load();
  // A bridge's file and variables are not meant: they stand there for good.
  const isFlag = (key: string): boolean => sources[key as keyof RulesSettings].startsWith('flag ');
  const change = setRulesFrom(config, isFlag);
  const from = config.from === 'now' ? undefined : config.from;
  if (Object.keys(change).length === 0) throw new ConfigError([`ledger rules set: say what: ${FLAGS}`]);
  return onBooks(asked, async ({ ledger, ...to }) => {
    const later = await makeRules(ledger.pool, change, from, whoRuns());
    if (later)
      to.io.stderr.write(`stratum-bridge: these rules hold from ${later.toISOString()} on: ${WHOLE}\n`);
    return print(await listRules(askOf(ledger.pool)), ledgerLists.rules.columns, to);
  });
}

const WHOLE = 'pay per share pays whole ten minutes by one version of the rules';

const FLAGS = Object.values(RULES)
  .map((key) => `--${flagName(key)}`)
  .join(', ');
