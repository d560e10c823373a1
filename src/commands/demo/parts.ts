/** The other commands that the demo runs. */
import { join } from 'node:path';
import { CommandError } from '../../cli/line/command.js';
import type { ListenAddress } from '../../core/names/listening.js';
import type { Log } from '../../core/names/log.js';
import { type Child, startChild } from './children.js';
import { tellOfPort } from './ports.js';

/** Blocks of the first seconds take a thread about one: easier ones come faster than a rig may submit. */
const GENESIS_DIFFICULTY = 2_000_000;
const NODE_ADDRESS: ListenAddress = { host: '127.0.0.1', port: 1848 };

/** Coins of the pool on each chain from the first block on: what blocks pay can be spent a little later than it is owed. */
const POOL_COINS = 100;

/** With the ledger: blocks that no chain knows would lose what they have earned. */
export function chainFolder(dataDir: string): string {
  return join(dataDir, 'chain');
}

/** @param funded an account that has coins from the first block on. */
export async function startNode(dataDir: string, funded: string | undefined, log: Log): Promise<Child> {
  const account = funded === undefined ? [] : ['--accounts', `${funded}=${POOL_COINS}`];
  const chain = ['--data-dir', chainFolder(dataDir), ...account];
  const rules = ['--genesis-difficulty', String(GENESIS_DIFFICULTY)];
  const listen = ({ host, port }: ListenAddress): Promise<Child> =>
    startChild(['node', '--mining', '--listen', `${host}:${port}`, ...chain, ...rules], log);
  try {
    return await listen(NODE_ADDRESS);
  } catch (error) {
    if (!(error instanceof CommandError && error.message.includes('EADDRINUSE'))) throw error;
    tellOfPort('the node', NODE_ADDRESS.port, log);
    return listen({ ...NODE_ADDRESS, port: 0 });
  }
}

export function startRig(url: string, account: string, log: Log): Promise<Child> {
  return startChild(['rig', '--urls', url, '--user', `${account}.demo`, '--threads', '1'], log);
}
