/** The node's configuration as `/config` shows it (interface section 2). Nothing here is a secret. */
import { DIALECTS } from '../../chain/dialects.js';
import { numberText } from '../../core/money/decimal.js';
import { BLOCK_GAS_LIMIT, LEAST_GAS_PRICE } from '../coin/admission.js';
import { type DevNodeSettings, networkName } from '../settings.js';
import { PEER_RATES } from './throttle.js';

export function configObject(settings: DevNodeSettings): object {
  const { contract, throttles } = DIALECTS[settings.profile];
  return {
    allowReadsInLocal: false,
    backup: { api: { enabled: settings.backupDir !== undefined }, directory: settings.backupDir ?? null },
    chainwebVersion: networkName(settings),
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
    p2p: { peers: settings.peers.map(hostOf), maxPeerCount: settings.peers.length, private: true },
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

function miningConfig(settings: DevNodeSettings): object {
  return {
    coordination: {
      enabled: settings.miningEnabled,
      // As on real nodes, who may mine is not shown.
      miners: [],
      limit: settings.miningLimit,
      updateStreamLimit: settings.updateStreamLimit,
      updateStreamTimeout: settings.updateStreamLifetimeMs / 1000,
      payloadRefreshDelay: settings.payloadRefreshMs * 1000,
    },
    nodeMining: { enabled: false, miner: { account: '', predicate: 'keys-all', 'public-keys': [] } },
  };
}

/** Host and port alone: an address may carry a user and a password. */
function hostOf(url: string): string {
  return new URL(url).host;
}
