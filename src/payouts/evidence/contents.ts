/** What a verified payload holds that concerns the payer: commands of its own, and coins that came and went. */

import { requestKeyOf } from '../../chain/request-key.js';
import { amountIn, type Fields, fieldsOf, readExactly, transferEvents } from '../../core/bytes/outputs.js';
import type { Amount } from '../../core/money/amount.js';
import { UNITS_A_COIN } from '../../core/money/decimal.js';
import { storable } from '../../core/names/names.js';
import type { PayloadWithOutputs } from '../../node-client/client.js';
import type { FoundCommand, TransferFact } from './sight.js';

/** What begins the nonce of each command of ours. */
const NONCE_PREFIX = 'sb1:';

/**
 * Hashes of `coin` as it ran on public networks when this was written (`mainnet01`, `testnet04`), and on test networks from
 * their first block on.
 */
export const KNOWN_CONTRACTS: readonly string[] = [
  'klFkrLfpyLW-M3xjVPSdqXEMgxPPJibRt_D6qiBws6s',
  '3iIBQdJnst44Z2ZgXoHPkAauybJ0h85l_en_SGHNibE',
];

export interface Contents {
  readonly commands: readonly FoundCommand[];
  readonly debits: readonly TransferFact[];
  readonly credits: readonly TransferFact[];
  /** Hashes with which `coin` ran that are not known. */
  readonly contracts: readonly string[];
  /** What is wrong with outputs that cannot be read, a sentence each. */
  readonly unreadable: readonly string[];
}

export interface Payer {
  readonly account: string;
  readonly contracts: ReadonlySet<string>;
}

/** A block says no more of what is wrong with it. */
const MOST_SAID = 4;
/** Characters of what a contract says. */
const LONGEST_SAID = 300;
const LONGEST_HASH = 64;

/** To read and hash one takes a quarter of a millisecond. */
const AT_A_TIME = 16;

/** Yields between transactions, now and then. @param payload verified: hashed into its header. */
export function* readContents(
  { account, contracts }: Payer,
  payload: PayloadWithOutputs,
): Generator<undefined, Contents> {
  const miner = readExactly(textOf(payload.minerData))?.['account'];
  const unreadable: string[] = [];
  const transfers: TransferFact[] = [];
  const commands: FoundCommand[] = [];
  const take = (output: string, requestKey: string | undefined): Output => {
    const read = readOutput(output, requestKey);
    transfers.push(...read.transfers);
    if (read.fault !== undefined) unreadable.push(`${requestKey ?? 'the coinbase'}: ${read.fault}`);
    return read;
  };
  take(payload.coinbase, undefined);
  for (const [i, [transaction, output]] of payload.transactions.entries()) {
    if (i > 0 && i % AT_A_TIME === 0) yield;
    const cmd = readExactly(textOf(transaction))?.['cmd'];
    const requestKey = typeof cmd === 'string' ? requestKeyOf(cmd) : 'what is no command';
    const read = take(output, requestKey);
    if (typeof cmd !== 'string') continue;
    const command = readExactly(cmd);
    if (isOurs(command, account)) commands.push(found(requestKey, cmd, command, read, account, miner));
  }
  const strange = transfers.map(({ moduleHash }) => moduleHash).filter((hash) => !contracts.has(hash));
  return {
    commands,
    debits: transfers.filter(({ from }) => from === account),
    credits: transfers.filter(({ to }) => to === account),
    contracts: [...new Set(strange)].slice(0, MOST_SAID).map((hash) => storable(hash, LONGEST_HASH)),
    unreadable: unreadable.slice(0, MOST_SAID),
  };
}

/** The payer pays its gas or signs it, or it has a nonce of ours. */
function isOurs(command: Fields | undefined, account: string): boolean {
  const nonce = command?.['nonce'];
  const signers = Array.isArray(command?.['signers']) ? command['signers'] : [];
  return (
    fieldsOf(command?.['meta'])?.['sender'] === account ||
    (typeof nonce === 'string' && nonce.startsWith(NONCE_PREFIX)) ||
    signers.some((signer: unknown) => `k:${String(fieldsOf(signer)?.['pubKey'])}` === account)
  );
}

interface Output {
  readonly fields: Fields;
  readonly transfers: readonly TransferFact[];
  /** What is wrong with it. */
  readonly fault: string | undefined;
}

function readOutput(base64Url: string, requestKey: string | undefined): Output {
  const fields = readExactly(textOf(base64Url));
  if (!fields) return { fields: {}, transfers: [], fault: 'its output is no JSON object' };
  const events = transferEvents(fields).filter(({ isCoin }) => isCoin);
  const transfers = events.flatMap(({ from, to, amount, moduleHash }) => {
    const isWhole =
      typeof from === 'string' &&
      typeof to === 'string' &&
      typeof moduleHash === 'string' &&
      amount !== undefined;
    return isWhole ? [{ from, to, amount, moduleHash, requestKey }] : [];
  });
  const fault =
    transfers.length === events.length
      ? undefined
      : 'an event TRANSFER of coin has other parameters than known';
  return { fields, transfers, fault };
}

function found(
  requestKey: string,
  cmd: string,
  command: Fields | undefined,
  { fields, transfers, fault }: Output,
  account: string,
  miner: unknown,
): FoundCommand {
  const { sender, gasPrice } = fieldsOf(command?.['meta']) ?? {};
  const { status, error } = fieldsOf(fields['result']) ?? {};
  const [gas, price] = [amountIn(fields['gas']), amountIn(gasPrice)];
  const unreadable = (why: string): FoundCommand => ({
    ...{ requestKey, cmd, status: 'unreadable', gasPaid: 0n, transfers, why: storable(why, LONGEST_SAID) },
  });
  if (fault !== undefined) return unreadable(fault);
  if (fields['reqKey'] !== requestKey)
    return unreadable(`its output is of ${JSON.stringify(fields['reqKey'])}`);
  if (gas === undefined || price === undefined) return unreadable('its gas or the price of it is no number');
  const fee = (gas * price) / UNITS_A_COIN;
  const gasPaid = sender === account ? fee : 0n;
  const ran = { requestKey, cmd, gasPaid, transfers: withoutFee(transfers, sender, miner, fee) };
  if (status === 'success') return { ...ran, status };
  if (status !== 'failure') return unreadable(`its status is ${JSON.stringify(status)}`);
  const why = storable(String(fieldsOf(error)?.['message'] ?? 'the contract gave no reason'), LONGEST_SAID);
  return { ...ran, status, why };
}

/** One event pays for the gas: the last today, the first on older blocks. */
function withoutFee(
  transfers: readonly TransferFact[],
  sender: unknown,
  miner: unknown,
  fee: Amount,
): readonly TransferFact[] {
  const at = transfers.findLastIndex(
    ({ from, to, amount }) => from === sender && to === miner && amount === fee,
  );
  return transfers.filter((_, i) => i !== at);
}

function textOf(base64Url: string): string {
  return Buffer.from(base64Url, 'base64url').toString('utf8');
}
