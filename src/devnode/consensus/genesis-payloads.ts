/**
 * Hashes of the genesis payloads of the public networks, so that their genesis blocks carry the real hashes here too.
 * What those payloads hold (the installation of contracts) is not part of this node.
 */

const MAINNET01_FIRST: readonly string[] = [
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
];
const MAINNET01_LATE = 'i-MN4AoxsaPds4M_MzwNSUygAkGnPZoCDvahfckowt4';
const TESTNET04_FIRST = 'nfYm3e_fk2ICws0Uowos6OMuqfFg5Nrl_zqXVx9v_ZQ';
const TESTNET04_REST = 'HU-ZhdfsQCiTrfxjtbkr5MHmjoukOt6INqB2vuYiF3g';

export const PUBLIC_GENESIS_PAYLOADS: Readonly<Record<string, (chainId: number) => string>> = {
  mainnet01: (chainId) => MAINNET01_FIRST[chainId] ?? MAINNET01_LATE,
  testnet04: (chainId) => (chainId === 0 ? TESTNET04_FIRST : TESTNET04_REST),
};
