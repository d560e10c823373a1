/** What `ledger` asks of nodes: whether blocks are still on their chains. */

import type pg from 'pg';
import { rewardRulesFrom } from '../../assembly/books/book-settings.js';
import { nodeConnectionFrom } from '../../assembly/chains/node-connection.js';
import { rootMessage } from '../../chain/errors.js';
import { type Asked, type CommandIo, OK } from '../../cli/line/command.js';
import type { BridgeConfig } from '../../config/settings.js';
import { SILENT } from '../../core/names/log.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import { type LookedAgain, listAgain } from '../../ledger/blocks/blocks.js';
import { type LookReport, lookAgain } from '../../ledger/blocks/look-again.js';
import { LedgerError } from '../../ledger/database/errors.js';
import type { BookedPayout } from '../../ledger/payments/payouts.js';
import { prepareFresh } from '../../ledger/payments/prepare-fresh.js';
import { rulesFor } from '../../ledger/rules/bridge-rules.js';
import type { REWARD_SETTINGS } from '../../ledger/settings.js';
import type { NodeClient } from '../../node-client/client.js';
import type { ConfigOf } from '../../values/setting.js';
import type { OnBridge } from '../ctl/bridge.js';
import { onBooks } from './access.js';
import { onLedger } from './asking.js';
import type { BlocksSettings } from './settings.js';
import { whoRuns } from './who.js';

type LookConfig = ConfigOf<typeof REWARD_SETTINGS> &
  Pick<BridgeConfig, 'miner.account' | 'node.urls' | 'node.ca' | 'node.insecure' | 'node.development'>;

const CONNECT_TIMEOUT_MS = 5_000;

/** Throws LedgerError `refused`. */
export async function prepare(
  config: LookConfig,
  pool: pg.Pool,
  chainId: number | null,
): Promise<BookedPayout | undefined> {
  const look = () => lookAt(config, pool, 'paying');
  return prepareFresh(pool, { minimum: config['payouts.minimum'], chainId, look, by: whoRuns() });
}

/** The list of blocks, after a look at all of them where that is asked for. */
export async function onBlocks(
  asked: Asked<BlocksSettings>,
  act: (on: OnBridge<BlocksSettings>) => Promise<number>,
): Promise<number> {
  const { config } = await asked.load();
  if (config.lookAgain)
    await onBooks(asked, async ({ ledger, io }) => {
      await lookAtEvery(config, ledger.pool, io);
      return OK;
    });
  return onLedger(asked, act);
}

async function lookAtEvery(config: LookConfig, pool: pg.Pool, { stderr }: CommandIo): Promise<void> {
  const { looked, changed, unseen } = await lookAt(config, pool, 'every');
  const rest = unseen > 0 ? `, ${unseen} are not seen on the chain now` : '';
  stderr.write(`stratum-bridge: looked at ${looked} blocks: ${changed} changed${rest}\n`);
}

/** Nodes are needed only where there is something to ask for. */
async function lookAt(config: LookConfig, pool: pg.Pool, which: LookedAgain): Promise<LookReport> {
  if ((await listAgain(pool, which, '0', 1)).length === 0) return { looked: 0, changed: 0, unseen: 0 };
  const clients = await connectAll(config);
  try {
    const { createChainReader } = await import('../../upstream/chain-reader.js');
    const chain = createChainReader(() => clients, config['node.urls'].length, config['node.development']);
    return await lookAgain(
      { pool, chain, rules: rulesFor(pool, rewardRulesFrom(config), whoRuns()), log: SILENT },
      which,
    );
  } finally {
    await Promise.all([...clients.values()].map((client) => client.close()));
  }
}

/** Those that answer. Throws LedgerError `refused` when none does. */
async function connectAll(config: LookConfig): Promise<ReadonlyMap<string, NodeClient>> {
  // Loaded here: most questions need no node, and it takes longer than the rest of the command.
  const { NodeClient } = await import('../../node-client/client.js');
  const options = nodeConnectionFrom(config);
  const clients = new Map<string, NodeClient>();
  const failures: string[] = [];
  const connect = async (url: string): Promise<void> => {
    try {
      clients.set(nodeNameOf(url), await NodeClient.connect(url, CONNECT_TIMEOUT_MS, options));
    } catch (error) {
      failures.push(rootMessage(error));
    }
  };
  await Promise.all(config['node.urls'].map(connect));
  if (clients.size > 0) return clients;
  const sentence = `no node answers for the blocks that are to be looked at (${failures.join('; ')}): start one, or name the right one with --node-urls`;
  throw new LedgerError('refused', sentence);
}
