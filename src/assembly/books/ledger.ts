/** The ledger: its database, and what keeps it in order. */
import type { KeyObject } from 'node:crypto';
import { signRootsBy } from '../../ledger/audit/roots.js';
import { type Leader, startLeader } from '../../ledger/database/leader.js';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../../ledger/embedded/embedded.js';
import { upkeepChores } from '../../ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../ledger/ledger.js';
import { type RulesWatch, rulesFor, startRulesWatch } from '../../ledger/rules/bridge-rules.js';
import { settlementChores } from '../../ledger/settlement/settlement.js';
import { concerning } from '../failures.js';
import { bridgePlace, type Site } from '../site.js';
import { rewardRulesFrom, setRulesFrom } from './book-settings.js';
import { tellOfPromise } from './durability-check.js';

/** Of a stop at least: the database ends in order, or else at once, before the process does. */
const DATABASE_MS = 2_500;
const LEDGER_MS = 200;

/** URL of the database: the one that is set, or the embedded one, which is started where no primary has done that. */
export async function openDatabase({ config, log, open, machine }: Site): Promise<string> {
  const given = config['ledger.databaseUrl'];
  if (given) return given;
  const { dataDir } = config;
  const running =
    machine.isOneOfSeveral && (await concerning('dataDir', () => findEmbeddedPostgres(dataDir)));
  if (running) return running;
  const embedded = await concerning('dataDir', () => startEmbeddedPostgres({ dataDir, log }));
  open.add('embedded PostgreSQL', (withinMs) => embedded.close(withinMs), DATABASE_MS);
  return embedded.connectionString;
}

/** It may be away: then it is connected to later. */
export async function openLedgerAt(databaseUrl: string, { config, log, open }: Site): Promise<Ledger> {
  const ledger = await concerning('ledger.databaseUrl', () =>
    openLedger({ connectionString: databaseUrl, log, waits: true }),
  );
  open.add('ledger', (withinMs) => ledger.close(withinMs), LEDGER_MS);
  void tellOfPromise(config, ledger, log);
  return ledger;
}

/** The rules that the ledger has; on books that have none, those of the settings. */
export function rulesOf({ pool }: Pick<Ledger, 'pool'>, site: Pick<Site, 'config' | 'folder'>) {
  return rulesFor(pool, rewardRulesFrom(site.config), `the bridge at ${bridgePlace(site)}`);
}

export interface KeptLedger {
  /** Of the chores of all bridges. */
  readonly leader: Leader;
  readonly rulesWatch: RulesWatch;
}

/** @param announced nothing is settled before it: the ledger may not know of shares that are on the disk here. */
export function keepLedger(
  ledger: Ledger,
  site: Site,
  {
    isSet,
    announced,
    poolKey,
  }: {
    readonly isSet: (key: string) => boolean;
    readonly announced: Promise<void>;
    /** Signs roots. */
    readonly poolKey: KeyObject;
  },
): KeptLedger {
  const { pool } = ledger;
  const { config, log, open } = site;
  const rules = rulesOf(ledger, site);
  // What is summed up and dropped was settled before.
  const chores = [
    ...settlementChores({ pool, rules, signRoot: signRootsBy(poolKey), log }),
    ...upkeepChores(pool, rules),
  ];
  const leader = startLeader(pool, { chores, log, after: announced });
  open.add('chores of the ledger', () => leader.close());
  const fees = new Map(Object.entries(config['rewards.feeOverrides']));
  const own = { account: config['miner.account'], rules: setRulesFrom(config, isSet), fees };
  const rulesWatch = startRulesWatch({ rules, own, log });
  open.add('rules watch', () => rulesWatch.close());
  return { leader, rulesWatch };
}
