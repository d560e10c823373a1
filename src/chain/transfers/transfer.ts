/**
 * The command that pays: a transfer of one exact amount to one account, on one chain.
 *
 *     {"networkId":"development",
 *      "payload":{"exec":{"code":"(coin.transfer-create \"k:…\" \"k:…\" (read-keyset \"account-guard\") 1.5)",
 *                         "data":{"account-guard":{"keys":["…"],"pred":"keys-all"}}}},
 *      "signers":[{"pubKey":"…","scheme":"ED25519","clist":[
 *         {"name":"coin.TRANSFER","args":["k:…","k:…",{"decimal":"1.5"}]},{"name":"coin.GAS","args":[]}]}],
 *      "meta":{"chainId":"0","sender":"k:…","gasLimit":1000,"gasPrice":0.00000001,"ttl":900,"creationTime":1700000000},
 *      "nonce":"sb1:3f9ea:31:1"}
 *
 * The same facts give the same text, to the byte. Whoever signs it signs for the gas and for this one transfer, and for
 * nothing else.
 */

import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { keyOfAccount, payableFault } from '../../core/names/payable.js';
import { requestKeyOf } from '../request-key.js';
import { type Payer, payerFault } from './accounts.js';

export interface Transfer {
  readonly networkId: string;
  readonly chainId: number;
  readonly from: Payer;
  /** `k:` and a key: its guard follows from its name. */
  readonly to: string;
  readonly amount: Amount;
  /** Seconds since the epoch, of the chain's time and not of ours. */
  readonly creationTimeS: number;
  readonly ttlS: number;
  readonly gasLimit: number;
  /** Of one unit of gas. */
  readonly gasPrice: Amount;
  /** Tells it from others that are alike: printable ASCII without `"` and `\\`. */
  readonly nonce: string;
}

export interface BuiltTransfer {
  /** What is signed, sent and kept, to the byte. */
  readonly cmd: string;
  /** 43 characters: by it the command is found on its chain. */
  readonly requestKey: string;
}

const LONGEST_TTL_S = 172_800;
const MOST_GAS = 180_000;
const MOST_CHAINS = 1000;
/** A coin for a unit of gas; up to here a double holds twelve decimals. */
const HIGHEST_GAS_PRICE = 10n ** 12n;
/** More than there will ever be: 10^20 coins. */
const HIGHEST_AMOUNT = 10n ** 32n;
const NONCE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,120}$/;
const LAST_SECOND = 10_000_000_000;

/** Throws RangeError, with a sentence, for a transfer that cannot be. */
export function buildTransfer(transfer: Transfer): BuiltTransfer {
  const fault = transferFault(transfer);
  if (fault !== undefined) throw new RangeError(fault);
  const cmd = commandText(transfer);
  return { cmd, requestKey: requestKeyOf(cmd) };
}

/** Why it cannot be, as a sentence; `undefined` when it can. */
function transferFault(transfer: Transfer): string | undefined {
  const { networkId, from, to, amount, gasPrice, nonce } = transfer;
  if (!/^[0-9A-Za-z_-]{1,64}$/.test(networkId)) return `a network is not called ${JSON.stringify(networkId)}`;
  const who = payerFault(from) ?? payableFault(to);
  if (who !== undefined) return who;
  if (from.account === to) return 'the paying account does not pay itself';
  if (amount <= 0n || amount > HIGHEST_AMOUNT) return 'an amount is above zero and at most 10^20 coins';
  if (gasPrice <= 0n || gasPrice > HIGHEST_GAS_PRICE) return 'a gas price is above zero and at most one coin';
  if (!NONCE.test(nonce)) return 'its nonce has 1 to 120 printable characters of ASCII, without " and \\';
  return numberFault(transfer);
}

function numberFault({ chainId, creationTimeS, ttlS, gasLimit }: Transfer): string | undefined {
  const isWhole = (value: number, from: number, to: number): boolean =>
    Number.isSafeInteger(value) && value >= from && value <= to;
  if (!isWhole(chainId, 0, MOST_CHAINS - 1)) return `there is no chain ${chainId}`;
  if (!isWhole(creationTimeS, 0, LAST_SECOND)) return 'its creation time is in whole seconds since 1970';
  if (!isWhole(ttlS, 1, LONGEST_TTL_S)) return `its time to live is 1 to ${LONGEST_TTL_S} whole seconds`;
  if (!isWhole(gasLimit, 1, MOST_GAS)) return `its gas limit is a whole number from 1 to ${MOST_GAS}`;
  return undefined;
}

/** Every text in it is plain, so that code and JSON write it alike. */
function commandText(transfer: Transfer): string {
  const { networkId, chainId, from, to, amount, creationTimeS, ttlS, gasLimit, gasPrice, nonce } = transfer;
  const coins = amountLiteral(amount);
  const code = `(coin.transfer-create "${from.account}" "${to}" (read-keyset "account-guard") ${coins})`;
  const data = { 'account-guard': { keys: [keyOfAccount(to)], pred: 'keys-all' } };
  const clist = [
    { name: 'coin.TRANSFER', args: [from.account, to, { decimal: coins }] },
    { name: 'coin.GAS', args: [] },
  ];
  const signers = from.publicKeys.map((pubKey) => ({ pubKey, scheme: 'ED25519', clist }));
  const times = `"ttl":${ttlS},"creationTime":${creationTimeS}`;
  return [
    `{"networkId":${JSON.stringify(networkId)}`,
    `"payload":${JSON.stringify({ exec: { code, data } })}`,
    `"signers":${JSON.stringify(signers)}`,
    // Not by way of a double: the price stands as it is.
    `"meta":{"chainId":"${chainId}","sender":${JSON.stringify(from.account)},"gasLimit":${gasLimit},"gasPrice":${amountLiteral(gasPrice)},${times}}`,
    `"nonce":${JSON.stringify(nonce)}}`,
  ].join();
}
