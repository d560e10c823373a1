/** What a block credits before its transactions: on most networks a fixed reward, on some what their contract works out. */
import { amountOf, decimalText, UNITS_A_COIN } from '../../core/money/decimal.js';
import type { Draft } from './accounts.js';
import { transferEvent } from './contract.js';
import { guardOf } from './guards.js';
import type { Event } from './result.js';

/** `stoa`: that network's contract, `pact/stoa-coin/new-coin.pact` of its node. */
export type CoinbaseRule = 'fixed' | 'stoa';

export interface Coinbase {
  /** To the miner, in units. */
  readonly reward: bigint;
  /** To the vault, in units. */
  readonly shared: bigint;
  /** As it stands in the output. */
  readonly data: string;
  readonly events: readonly Event[];
}

interface CoinbasePlace {
  readonly chainId: number;
  readonly miner: string;
  /** Of the parent, microseconds since the epoch: contracts know no other. */
  readonly parentTime: bigint;
}

/** 2.304523 coins. */
export const BLOCK_REWARD = 2_304_523_000_000n;

export function coinbaseOf(rule: CoinbaseRule, place: CoinbasePlace): Coinbase {
  if (rule === 'stoa') return stoaCoinbase(place);
  const events = [transferEvent('', place.miner, amountOf(BLOCK_REWARD))];
  return { reward: BLOCK_REWARD, shared: 0n, data: 'Write succeeded', events };
}

/** In truth its name follows from a guard of its contract, which no keys satisfy. */
export const VAULT = 'c:UrStoaVault';
const NOBODYS = guardOf('keys-all', ['nobody']);

export function creditVault(draft: Draft, { shared }: Coinbase): void {
  if (shared === 0n) return;
  const { balance } = draft.account(VAULT) ?? { balance: 0n };
  draft.set(VAULT, { balance: balance + shared, guard: NOBODYS });
}

const STOA_CHAINS = 10n;
const STOA_BEGINS = Date.UTC(2026, 1, 18, 21, 30);
const BLOCKS_A_DAY = 2880n;
const SECONDS_A_BLOCK = 30;

/** Nine tenths to the miner on each chain. Chain 0 puts the tenth of all ten chains into the vault, by way of the miner. */
function stoaCoinbase({ chainId, miner, parentTime }: CoinbasePlace): Coinbase {
  const emission = stoaEmission(new Date(Number(parentTime / 1000n)).getUTCFullYear());
  const reward = (emission * 9n) / 10n;
  const mined = `Miner ${miner} succesfully mined ${coins(reward)} STOA`;
  // There is no TRANSFER from nobody: who reads rewards from events finds none.
  if (chainId !== 0) return { reward, shared: 0n, data: `${mined} on Chain ${chainId}`, events: [] };
  const shared = STOA_CHAINS * (emission - reward);
  const data = `${mined}, and injected an additional ${coins(shared)} STOA to the UrStoa Vault`;
  const event: Event = { name: 'TRANSMIT', params: [miner, VAULT, { decimal: amountOf(shared) }] };
  return { reward, shared, data, events: [event] };
}

/** Of a block of any chain, in units: that of the year by its blocks. The first year is not whole. */
function stoaEmission(year: number): bigint {
  const t = BigInt(year - new Date(STOA_BEGINS).getUTCFullYear());
  const ofYear = UNITS_A_COIN * (500_000n * t * t + 99_500_000n * t + 47_916_000_000n);
  const blocks = t === 0n ? blocksOfFirstYear() : BLOCKS_A_DAY * BigInt(daysOf(year));
  return ofYear / ((t + 99n) * (t + 100n)) / (STOA_CHAINS * blocks);
}

function blocksOfFirstYear(): bigint {
  const lastSecond = Date.UTC(new Date(STOA_BEGINS).getUTCFullYear(), 11, 31, 23, 59, 59);
  return BigInt(Math.floor((lastSecond - STOA_BEGINS) / 1000 / SECONDS_A_BLOCK));
}

function daysOf(year: number): number {
  return (Date.UTC(year + 1, 0) - Date.UTC(year, 0)) / 86_400_000;
}

function coins(units: bigint): string {
  return decimalText(amountOf(units));
}
