import { type Asked, CommandError, FAILED, OK } from '../../cli/line/command.js';
import { refuseTwoForms } from '../../cli/screen/form.js';
import { print } from '../../cli/screen/print.js';
import { auditOf, type Judged, verdictOf } from '../../core/audit/audit.js';
import type { Columns } from '../../operations/entry/columns.js';
import { ownerIn } from '../keygen/owner.js';
import { poolAt } from './pool.js';
import { loggedShares } from './rig-log.js';
import { compareRoots } from './seen-roots.js';
import type { AUDIT_SETTINGS } from './settings.js';

export async function run(asked: Asked<typeof AUDIT_SETTINGS>): Promise<number> {
  const { words, io } = asked;
  const { config } = await asked.load();
  refuseTwoForms(config);
  if (config.key === '')
    throw new CommandError(
      '--key is needed: the file with the keys of the account, which signs that you ask',
    );
  const owner = await ownerIn(config.key);
  const log = config.log === '' ? undefined : await loggedShares(config.log);
  const audit = await auditOf(owner.account, poolAt(words[0] ?? '', owner), log);
  if (config.roots !== '') await compareRoots(config.roots, audit.roots, audit.findings);
  print(audit.splits, COLUMNS, { config, io });
  for (const finding of audit.findings) io.stderr.write(`stratum-bridge: ${finding}\n`);
  io.stderr.write(`${verdictOf(owner.account, audit)}\n`);
  return audit.findings.length === 0 ? OK : FAILED;
}

const COLUMNS: Columns<Judged> = {
  id: { heading: 'block', kind: 'count', importance: 1 },
  chainId: { heading: 'chain', kind: 'count', importance: 2 },
  height: { kind: 'count', importance: 2 },
  scheme: { kind: 'text', importance: 3 },
  part: {
    kind: 'text',
    importance: 2,
    of: ({ part }) => (part === null ? '' : `${(100 * part).toFixed(3)} %`),
  },
  credited: { kind: 'amount', importance: 1 },
  verdict: { kind: 'text', importance: 1 },
};
