import { isForDevelopment } from '../work/development.js';

/** What the coins of a network are called. */
export function coinOf(network: string): string {
  if (network === 'mainnet01') return 'KDA';
  return network.startsWith('testnet') || isForDevelopment(network) ? 'test coins' : 'coins';
}
