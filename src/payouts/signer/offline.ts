/**
 * Without a key here: transactions are written out, signed elsewhere, and read in again.
 *
 *     {"payoutExport":1,"network":"development","account":"k:…","madeAt":"2026-11-23T20:25:16Z","count":1,"total":"1.5",
 *      "lines":[{"payment":"31","attempt":1,"chain":0,"to":"k:…","amount":"1.5","expires":"2026-11-23T20:40:16Z","requestKey":"…"}],
 *      "cmdSigDatas":[{"cmd":"…","sigs":[{"pubKey":"…","sig":null}]}]}
 *
 * `lines` is for people, in the order of `cmdSigDatas`; a quicksign tool takes the file as it is. What it answers
 * (`responses`) is read in, and so is this file with signatures filled in.
 */
import { checkSignatures, type GivenSignature, type Signatures } from '../../chain/transfers/envelope.js';
import type { Transfer } from '../../chain/transfers/transfer.js';
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { checkTransfer, readTransfer } from '../command/read.js';
import { type CommandSigData, readQuicksignAnswer, readQuicksignRequest } from './quicksign.js';

/** One of ours that waits for signatures. */
interface UnsignedTransaction {
  readonly cmd: string;
  /** Those that are there already. */
  readonly signatures: readonly GivenSignature[];
}

/** Throws RangeError for a command that is none of ours. @param nowMs of the words `madeAt` alone. */
export function exportText(transactions: readonly UnsignedTransaction[], nowMs: number): string {
  const read = transactions.map(({ cmd }) => transferIn(cmd));
  const lines = read.map(({ transfer, attempt, requestKey }) => ({
    payment: attempt.paymentId,
    attempt: attempt.attempt,
    chain: transfer.chainId,
    to: transfer.to,
    amount: amountLiteral(transfer.amount),
    expires: timeText((transfer.creationTimeS + transfer.ttlS) * 1000),
    requestKey,
  }));
  const total = read.reduce((sum: Amount, { transfer }) => sum + transfer.amount, 0n);
  const only = (texts: readonly string[]): string => [...new Set(texts)].join(', ');
  const about = {
    payoutExport: 1,
    network: only(read.map(({ transfer }) => transfer.networkId)),
    account: only(read.map(({ transfer }) => transfer.from.account)),
    madeAt: timeText(nowMs),
    count: lines.length,
    total: amountLiteral(total),
  };
  const cmdSigDatas = transactions.map(({ cmd, signatures }, i) => ({
    cmd,
    sigs: (read[i]?.transfer.from.publicKeys ?? []).map((pubKey) => ({
      pubKey,
      sig: signatures.find((one) => one.pubKey === pubKey)?.sig ?? null,
    })),
  }));
  return `${JSON.stringify({ ...about, lines, cmdSigDatas }, undefined, 1)}\n`;
}

type ReadTransfer = ReturnType<typeof readTransfer> & { is: 'transfer' };

function transferIn(cmd: string): ReadTransfer {
  const read = readTransfer(cmd);
  if (read.is === 'transfer') return read;
  throw new RangeError(`the command ${read.why}`);
}

const timeText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

interface ImportedTransaction {
  readonly requestKey: string;
  /** With all signatures that are known now. */
  readonly signed: Exclude<Signatures, { readonly is: 'bad' }>;
}

export type Import =
  /** Of all that the text had a signature for. */
  | { readonly is: 'taken'; readonly transactions: readonly ImportedTransaction[] }
  /** Nothing of it is taken. Sentences, each with the place; the first of them where there are many. */
  | { readonly is: 'refused'; readonly faults: readonly string[] };

interface ImportOptions {
  /** All that wait for signatures. */
  readonly waiting: readonly UnsignedTransaction[];
  /** Time of the last block of a chain, in seconds: it is too late by that, and not by a clock of ours. */
  readonly chainTimeS: (chainId: number) => number;
}

/** Of UTF-16. */
export const LONGEST_IMPORT = 64 * 2 ** 20;
const MOST_FAULTS = 20;

/** All of it or nothing. */
export function readImport(text: string, { waiting, chainTimeS }: ImportOptions): Import {
  if (text.length > LONGEST_IMPORT) return refused([`the file has more than ${LONGEST_IMPORT} characters`]);
  const entries = entriesOf(text);
  if (typeof entries === 'string') return refused([entries]);
  const read = waiting.map(({ cmd, signatures }) => {
    return { ...transferIn(cmd), cmd, signatures, given: [] as GivenSignature[] };
  });
  const byCommand = new Map(read.map((one) => [one.cmd, one]));
  const byNonce = new Map(read.map(({ transfer }) => [transfer.nonce, transfer]));
  const faults: string[] = [];
  for (const [i, { cmd, sigs }] of entries.entries()) {
    const own = byCommand.get(cmd);
    const fault = own ? lateness(own, chainTimeS) : strangeness(cmd, byNonce);
    if (fault !== undefined) faults.push(`transaction ${i + 1} of the file ${fault}`);
    // One may come several times, with a signature of each key.
    else own?.given.push(...sigs);
  }
  const transactions: ImportedTransaction[] = [];
  for (const { cmd, requestKey, transfer, attempt, signatures, given } of read) {
    if (given.length === 0) continue;
    const signed = checkSignatures(cmd, transfer.from.publicKeys, [...signatures, ...given]);
    if (signed.is === 'bad') faults.push(`payment ${attempt.paymentId} is not signed: ${signed.why}`);
    else if (given.some(({ sig }) => sig !== null)) transactions.push({ requestKey, signed });
  }
  return faults.length > 0 ? refused(faults) : { is: 'taken', transactions };
}

function refused(faults: readonly string[]): Import {
  const more = faults.length - MOST_FAULTS;
  const shown = faults.slice(0, MOST_FAULTS);
  return { is: 'refused', faults: more > 0 ? [...shown, `and ${more} more`] : shown };
}

/** A sentence for what is neither an answer of quicksign nor what was written out. */
function entriesOf(text: string): readonly CommandSigData[] | string {
  const answer = readQuicksignAnswer(text);
  if (typeof answer !== 'string') {
    if ('responses' in answer) return answer.responses.map(({ commandSigData }) => commandSigData);
    return `the file is an answer that nothing was signed: ${answer.error.msg || answer.error.type}`;
  }
  const request = readQuicksignRequest(text);
  if (typeof request !== 'string') return request.cmdSigDatas;
  return `as an answer of a signer the file ${answer}; as what was written out it ${request}`;
}

/** Follows on "transaction 3 of the file". */
function lateness(
  { transfer, attempt }: ReadTransfer,
  chainTimeS: ImportOptions['chainTimeS'],
): string | undefined {
  const { chainId, creationTimeS, ttlS } = transfer;
  const [untilS, nowS] = [creationTimeS + ttlS, chainTimeS(chainId)];
  if (nowS < untilS) return undefined;
  const times = `by ${timeText(untilS * 1000)}, and that chain is at ${timeText(nowS * 1000)}`;
  return `(payment ${attempt.paymentId}) is past its time: it was to be on chain ${chainId} ${times}`;
}

/** Why it is none that waits: it is somebody else's, it was altered, or nobody waits for it any more. */
function strangeness(cmd: string, ours: ReadonlyMap<string, Transfer>): string {
  const read = readTransfer(cmd);
  if (read.is === 'other') return `is none of ours: it ${read.why}`;
  const { ledgerId, paymentId, attempt } = read.attempt;
  const name = `(payment ${paymentId}, attempt ${attempt} of ledger ${ledgerId})`;
  const own = ours.get(read.transfer.nonce);
  if (!own)
    return `${name} is none that waits for a signature here: its signatures are complete, its batch was rejected, it is too late, or it is of other books; export again`;
  return `${name} was altered: ${checkTransfer(cmd, own).join('; ')}`;
}
