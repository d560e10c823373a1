/** The networks that are known by name, as a file would define them. */
import type { NetworkDefinition } from './network-definition.js';

const PUBLIC = {
  blockDelayMs: 30_000,
  difficultyWindow: 120,
  firstEpochStartsLate: false,
  forkEpoch: 14_400,
} as const;

/** What the genesis payloads of the public networks hold, the installation of contracts, is not part of this node. */
const MAINNET01_PAYLOADS: readonly string[] = [
  'k1H3DsInAPvJ0W_zPxnrpkeSNdPUT0S9U8bqDLG739o',
  'kClp_Tw7keCLXMfaCyjH-gToAGmLvRQqiNRmhWUCbxs',
  '4DVp1dkSLYkFD0zbFF7e5Ba0ezKmnZhEVzlc5ZqqAT0',
  'fCHKOS9SF9G3Gy5iGZnOmQxjGYf32yM8PklrcBD_dmQ',
  'cTZ_29TkjXDlG_GlW8iB-va3mofpt_UjthLcOoqtlaQ',
  'MS_wu92H4GVPCziB6g8rOAc3x2uyegXH4Yl_0TfpI7U',
  'DVs3k9omI_WHMOJ8tUZ1Bt9Q1DdNmqC3V51iZDGmWwM',
  'Faa4TQZGFkFumLfHnMIJBAu_PSmGY4F-YraLVFrxr7Y',
  'YWgbJ4K5VET4WnG3H0Y0HPgzZ_qSnTgqxyB1kpMLJTQ',
  'w_6Spsw-jdCi9hBTlM6v0C1P7XoglU_AqNG9rcOwAZ0',
  ...Array<string>(10).fill('i-MN4AoxsaPds4M_MzwNSUygAkGnPZoCDvahfckowt4'),
];
const TESTNET04_PAYLOADS: readonly string[] = [
  'nfYm3e_fk2ICws0Uowos6OMuqfFg5Nrl_zqXVx9v_ZQ',
  ...Array<string>(19).fill('HU-ZhdfsQCiTrfxjtbkr5MHmjoukOt6INqB2vuYiF3g'),
];

export const KNOWN_NETWORKS: readonly NetworkDefinition[] = [
  { name: 'test-singleton', code: 0x80000000, graph: 'singleton' },
  { name: 'development', code: 2, graph: 'twenty' },
  {
    name: 'mainnet01',
    code: 5,
    graphs: [
      [0, 'petersen'],
      [852_054, 'twenty'],
    ],
    genesisTime: '2019-10-30T00:01:00Z',
    genesisDifficulty: 1,
    lateGenesisTarget: 'cb73de4be95ba21db5b9178dd85974c194e3ee05717dd8afa830',
    genesisPayloads: MAINNET01_PAYLOADS,
    ...PUBLIC,
  },
  {
    name: 'testnet04',
    code: 7,
    graphs: [
      [0, 'petersen'],
      [332_604, 'twenty'],
    ],
    genesisDifficulty: 1,
    lateGenesisTarget: '1b9bf15be43824bae4c4f17722572883f7b53ed2e8c6ba9596249235',
    genesisPayloads: TESTNET04_PAYLOADS,
    ...PUBLIC,
  },
  {
    name: 'recap-development',
    code: 1,
    graphs: [
      [0, 'petersen'],
      [60, 'twenty'],
    ],
    lateGenesisTarget: '88f99632cadf39b0db7655be62cb7dbc84ebbd9a90e5b5756d3e7d9196c',
    ...PUBLIC,
    firstEpochStartsLate: true,
  },
  { name: 'testnet06', code: 8, graph: 'twenty', genesisTime: '2026-02-16T08:15:00Z', ...PUBLIC },
  // Of its genesis the day alone is known.
  {
    name: 'stoa',
    code: 10,
    graph: 'petersen',
    genesisTime: '2026-02-01T00:00:00Z',
    coinbase: 'stoa',
    ...PUBLIC,
  },
];

export const NETWORK_NAMES: readonly string[] = KNOWN_NETWORKS.map(({ name }) => name);
