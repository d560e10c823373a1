/** The node's configuration as `/config` shows it (interface section 2). Nothing here is a secret. */
import { numberText } from '../../core/money/decimal.js';
import { BLOCK_GAS_LIMIT, LEAST_GAS_PRICE } from '../coin/admission.js';
import type { NodeContext } from './context.js';
import { PEER_RATES } from './throttle.js';

export function configObject({ settings, dialect, chains }: NodeContext): object {
  const { contract, throttles } = dialect;
  return {
    allowReadsInLocal: false,
    backup: { api: { enabled: settings.backupDir !== '' }, directory: settings.backupDir || null },
    chainwebVersion: chains.network.name,
    cuts: { pruneChainDatabase: 'none', fetchTimeout: 3_000_000, initialBlockHeightLimit: null },
    enableLocalTimeout: false,
    [`fullHistoric${contract}State`]: true,
    gasLimitOfBlock: BLOCK_GAS_LIMIT,
    headerStream: settings.headerStream,
    logGas: false,
    mempoolP2p: { enabled: false },
    minGasPrice: Number(numberText(LEAST_GAS_PRICE)),
    mining: miningConfig(settings),
    moduleCacheLimit: 62_914_560,
    [`onlySync${contract}`]: false,
    // Host and port alone: an address may carry a user and a password.
    p2p: {
      peers: settings.peers.map((url) => new URL(url).host),
      maxPeerCount: settings.peers.length,
      private: true,
    },
    [`${contract.toLowerCase()}QueueSize`]: 2000,
    preInsertCheckTimeout: 400_000,
    readOnlyReplay: false,
    reintroTxs: true,
    reorgLimit: 480,
    rosetta: false,
    serviceApi: { interface: '', port: 0 },
    [`sync${contract}Chains`]: null,
    throttling: throttles ? PEER_RATES : { global: null, mempool: null, putPeer: null },
  };
}

function miningConfig(settings: NodeContext['settings']): object {
  return {
    coordination: {
      enabled: settings.mining,
      // As on real nodes, who may mine is not shown.
      miners: [],
      limit: settings.miningLimit,
      updateStreamLimit: settings.streamLimit,
      updateStreamTimeout: settings.streamLifetime / 1000,
      payloadRefreshDelay: settings.payloadRefresh * 1000,
    },
    nodeMining: { enabled: false, miner: { account: '', predicate: 'keys-all', 'public-keys': [] } },
  };
}
