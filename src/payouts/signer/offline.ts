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
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { checkSignatures, type GivenSignature, type Signatures } from '../command/envelope.js';
import { checkTransfer, readTransfer } from '../command/read.js';
import type { Transfer } from '../command/transfer.js';
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

function transferIn(cmd: string): ReturnType<typeof readTransfer> & { is: 'transfer' } {
  const read = readTransfer(cmd);
  if (read.is === 'transfer') return read;
  throw new RangeError(`the command ${read.why}`);
}

const timeText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

interface ImportedTransaction {
  readonly requestKey: string;
  /** `complete` or `partial`, with all signatures that are known now. */
  readonly signed: Signatures & { is: 'complete' | 'partial' };
  /** Of the signers that have signed, in their order. */
  readonly signatures: readonly { readonly pubKey: string; readonly sig: string }[];
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
const MOST_TRANSACTIONS = 50_000;
const MOST_FAULTS = 20;

/** All of it or nothing. */
export function readImport(text: string, options: ImportOptions): Import {
  if (text.length > LONGEST_IMPORT) return refused([`the file has more than ${LONGEST_IMPORT} characters`]);
  const entries = entriesOf(text);
  if (typeof entries === 'string') return refused([entries]);
  const waiting = new Map(options.waiting.map((one) => [one.cmd, one]));
  const ours = byNonce(options.waiting);
  const faults: string[] = [];
  /** By command: one may come several times, with a signature of each key. */
  const given = new Map<string, GivenSignature[]>();
  for (const [i, { cmd, sigs }] of entries.entries()) {
    const fault = waiting.has(cmd) ? lateness(cmd, options) : strangeness(cmd, ours());
    if (fault !== undefined) faults.push(`transaction ${i + 1} of the file ${fault}`);
    else if (!given.get(cmd)?.push(...sigs)) given.set(cmd, [...sigs]);
  }
  const transactions: ImportedTransaction[] = [];
  for (const [cmd, sigs] of given) {
    const merged = mergedOf(cmd, [...(waiting.get(cmd)?.signatures ?? []), ...sigs]);
    if (typeof merged === 'string') faults.push(merged);
    else if (sigs.some(({ sig }) => sig !== null)) transactions.push(merged);
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
  const answer = readQuicksignAnswer(text, MOST_TRANSACTIONS);
  if (answer.is === 'responses') return answer.responses.map(({ commandSigData }) => commandSigData);
  if (answer.is === 'error')
    return `the file is an answer that nothing was signed: ${answer.msg || answer.type}`;
  const request = readQuicksignRequest(text, MOST_TRANSACTIONS);
  if (typeof request !== 'string') return request.cmdSigDatas;
  return `the file ${answer.why}, nor is it what was written out: ${request}`;
}

/** Follows on "transaction 3 of the file". */
function lateness(cmd: string, { chainTimeS }: ImportOptions): string | undefined {
  const { transfer, attempt } = transferIn(cmd);
  const { chainId, creationTimeS, ttlS } = transfer;
  const [untilS, nowS] = [creationTimeS + ttlS, chainTimeS(chainId)];
  if (nowS < untilS) return undefined;
  const times = `by ${timeText(untilS * 1000)}, and that chain is at ${timeText(nowS * 1000)}`;
  return `(payment ${attempt.paymentId}) is past its time: it was to be on chain ${chainId} ${times}`;
}

/** Made once, when it is first asked for: a file that is ours needs none. */
function byNonce(waiting: readonly UnsignedTransaction[]): () => ReadonlyMap<string, Transfer> {
  let made: ReadonlyMap<string, Transfer> | undefined;
  return () => {
    made ??= new Map(
      waiting.map(({ cmd }) => transferIn(cmd).transfer).map((transfer) => [transfer.nonce, transfer]),
    );
    return made;
  };
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

function mergedOf(cmd: string, given: readonly GivenSignature[]): ImportedTransaction | string {
  const { transfer, attempt, requestKey } = transferIn(cmd);
  const { publicKeys } = transfer.from;
  const signed = checkSignatures(cmd, publicKeys, given);
  if (signed.is === 'bad') return `payment ${attempt.paymentId} is not signed: ${signed.why}`;
  const signatures = publicKeys.flatMap((pubKey) => {
    const sig = given.find((one) => one.pubKey === pubKey && one.sig !== null)?.sig;
    return typeof sig === 'string' ? [{ pubKey, sig: sig.toLowerCase() }] : [];
  });
  return { requestKey, signed, signatures };
}
