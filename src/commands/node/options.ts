/** What the settings of the development node say to it. */

import { randomBytes } from 'node:crypto';
import type { ListenAddress } from '../../core/names/listening.js';
import type { AccountOrder } from '../../devnode/coin/funded-accounts.js';
import { jsonIn, type NetworkDefinition } from '../../devnode/consensus/network-definition.js';
import type { DevNodeOptions } from '../../devnode/server.js';
import { type CertificatePair, makeSelfSigned } from '../../tls/self-signed.js';
import type { ConfigOf } from '../../values/setting.js';
import type { NODE_SETTINGS } from './settings.js';

/** For the peer port; nobody keeps it, so that each start makes another. */
function newCertificate(listen: ListenAddress): CertificatePair {
  const hosts = [...new Set([listen.host, 'localhost', '127.0.0.1'])];
  return makeSelfSigned({ hosts, nowMs: Date.now(), days: CERTIFICATE_DAYS, serial: randomBytes(16) });
}

const CERTIFICATE_DAYS = 365;

/** `new` or `k:KEY`, and `=AMOUNT`. */
function accountOf(text: string): AccountOrder {
  const [name = '', amount] = text.split('=');
  return {
    ...(name === 'new' ? {} : { publicKey: name.slice(2) }),
    ...(amount === undefined ? {} : { amount }),
  };
}

/** Names have none of these. */
function isFile(value: string): boolean {
  return /[./\\]/.test(value);
}

/** What is no network and no graph is refused where the network is made. */
function orInFile<T>(value: string): T {
  return (isFile(value) ? jsonIn(value) : value) as T;
}

export function optionsFrom(config: ConfigOf<typeof NODE_SETTINGS>): DevNodeOptions {
  const listen = config['devnode.listen'];
  const profile = config['devnode.profile'];
  return {
    ...{ listen, profile },
    proofOfWork: config['devnode.proofOfWork'],
    network: orInFile<string | NetworkDefinition>(config['devnode.network']),
    peers: config['devnode.peers'],
    updateStreamLifetimeMs: config['devnode.streamLifetime'],
    ...(profile === 'chainweb' ? { peerTls: newCertificate(listen) } : {}),
    ...(config['devnode.peerListen'] === 'auto' ? {} : { peerListen: config['devnode.peerListen'] }),
    ...(config['devnode.headerStream'] === 'auto' ? {} : { headerStream: config['devnode.headerStream'] }),
    ...(config['devnode.payloadRefresh'] === 0 ? {} : { payloadRefreshMs: config['devnode.payloadRefresh'] }),
    miningLimit: config['devnode.miningLimit'],
    payloadLifetimeMs: config['devnode.payloadLifetime'],
    updateStreamLimit: config['devnode.streamLimit'],
    forkState: config['devnode.forkState'],
    miningEnabled: config['devnode.mining'],
    miners: config['devnode.miners'].map((key) => ({
      account: `k:${key}`,
      predicate: 'keys-all',
      'public-keys': [key],
    })),
    accounts: config['devnode.accounts'].map(accountOf),
    mineEveryMs: config['devnode.mineEvery'] || undefined,
    mineOnTransaction: config['devnode.mineOnTransaction'],
    genesisTime: config['devnode.genesisTime'] === 'network' ? undefined : config['devnode.genesisTime'],
    seed: config['devnode.seed'] || undefined,
    graph: config['devnode.graph'] === 'auto' ? undefined : orInFile(config['devnode.graph']),
    forkEpoch: config['devnode.forkEpoch'] === 'network' ? undefined : config['devnode.forkEpoch'],
    forkNumber: config['devnode.forkNumber'],
    blockDelayMs: config['devnode.blockDelay'] || undefined,
    genesisDifficulty: config['devnode.genesisDifficulty'] || undefined,
    peerHostname: config['devnode.peerHostname'] || undefined,
    dataDir: config['devnode.dataDir'] || undefined,
    backupDir: config['devnode.backupDir'] || undefined,
    control: config['devnode.control'] === 'off' ? undefined : config['devnode.control'],
  };
}
