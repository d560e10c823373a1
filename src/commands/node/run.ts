import { explained } from '../../assembly/failures.js';
import { type Asked, CommandError, type CommandIo } from '../../cli/line/command.js';
import { type Running, runService } from '../../cli/service/host.js';
import type { CloseStack } from '../../cli/service/stop.js';
import type { Log } from '../../core/names/log.js';
import type { FundedAccount } from '../../devnode/coin/funded-accounts.js';
import { ForeignStoreError } from '../../devnode/consensus/chains.js';
import { startDevNode } from '../../devnode/server.js';
import { settingsIn } from '../../devnode/settings.js';
import { DataDirectoryError, StorageError } from '../../devnode/storage/block-store.js';
import { FileError } from '../../files/file-error.js';
import type { ConfigOf } from '../../values/setting.js';
import type { NODE_SETTINGS } from './settings.js';

type NodeConfig = ConfigOf<typeof NODE_SETTINGS>;

export function run(asked: Asked<typeof NODE_SETTINGS>): Promise<number> {
  return runService(asked, {
    start: ({ config }, log, open) =>
      explained(() => inSentences(() => startNode(config, log, open, asked.io))),
  });
}

async function startNode(
  config: NodeConfig,
  log: Log,
  open: CloseStack,
  io: CommandIo,
): Promise<Running<NodeConfig>> {
  const node = await startDevNode({ ...settingsIn(config), log });
  open.add('node', () => node.close());
  for (const one of node.accounts) io.stderr.write(wordsOf(one));
  const { url, controlUrl: control } = node;
  const peer = config['devnode.profile'] === 'chainweb' ? node.peerUrl : undefined;
  const mining = config['devnode.mining'] ? 'mining is on' : 'mining is off: --mining switches it on';
  return { ready: { says: `the node serves ${url}; ${mining}`, fields: { url, peer, control } } };
}

/** Once, and not to the log: who reads that need not have the keys. */
function wordsOf({ account, amount, secretKey }: FundedAccount): string {
  const key = secretKey === undefined ? '' : `; its secret key is ${secretKey}`;
  return `account ${account} has ${amount} coins on each chain${key}\n`;
}

const REMEDIED = [RangeError, DataDirectoryError, ForeignStoreError, StorageError, FileError];

/** What an operator can mend is said in a sentence. */
async function inSentences<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!REMEDIED.some((type) => error instanceof type)) throw error;
    throw new CommandError((error as Error).message, { cause: error });
  }
}
