/** The ledger: its database, and what keeps it in order. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { startSplitWatch } from '../../ledger/blocks/split-watch.js';
import { startEmbeddedPostgres } from '../../ledger/embedded/embedded.js';
import { startUpkeep } from '../../ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../ledger/ledger.js';
import { WALL_CLOCK } from '../clocks.js';
import { concerning } from '../failures.js';
import type { Site } from '../site.js';
import { rewardRulesFrom } from './book-settings.js';
import { tellOfPromise } from './durability-check.js';

/** URL of the database: the one that is set, or the embedded one, which is started. */
export async function openDatabase({ config, log, open }: Site): Promise<string> {
  const given = config['ledger.databaseUrl'];
  if (given) return given;
  const { dataDir } = config;
  const embedded = await concerning('dataDir', () => startEmbeddedPostgres({ dataDir, log }));
  open.add('embedded PostgreSQL', () => embedded.close());
  return embedded.connectionString;
}

/** It may be away: then it is connected to later. */
export async function openLedgerAt(databaseUrl: string, { config, log, open }: Site): Promise<Ledger> {
  const ledger = await concerning('ledger.databaseUrl', () =>
    openLedger({ connectionString: databaseUrl, log, waits: true }),
  );
  open.add('ledger', () => ledger.close());
  void tellOfPromise(config, ledger, log);
  return ledger;
}

export function keepLedger({ pool }: Ledger, { config, log, open }: Site): void {
  const rules = rewardRulesFrom(config);
  const upkeep = startUpkeep(pool, { rules, nowMs: WALL_CLOCK.nowMs, log, newKey: randomUUID });
  open.add('upkeep', () => upkeep.close());
  const bridge = `${hostname()}:${resolve(config.dataDir)}`;
  const splits = startSplitWatch({ pool, rules, bridge, log });
  open.add('split watch', () => splits.close());
}
