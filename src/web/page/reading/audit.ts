/** The audit of an account, in this browser: what the bridge shows of it is recomputed here. Loaded when somebody asks for it. */
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { auditOf, verdictOf } from '../../../core/audit/audit.js';
import { readRigLog } from '../../../core/audit/rig-log.js';
import type { SignedRoot } from '../../../core/audit/root.js';
import { sourceOf } from '../../../core/audit/source.js';
import { type Ask, AskError } from './ask.js';

export interface Audited {
  /** What came of it. */
  readonly verdict: string;
  readonly findings: readonly string[];
}

interface Asked {
  readonly account: string;
  /** The line that `keygen proofs` printed. */
  readonly line: string;
  /** What rigs were answered, as `rig --log` writes it; empty for none. */
  readonly log: string;
}

/** Rejects with AskError where the bridge says no, or a line is none. */
export async function auditHere(
  ask: Ask,
  { account, line, log }: Asked,
  signal: AbortSignal,
): Promise<Audited> {
  const signed = signedIn(line);
  const shares = log === '' ? undefined : readRigLog(log);
  if (typeof shares === 'string') throw new AskError(`that log is none: ${shares}`, true);
  const canVerify = await knowsEd25519();
  const source = sourceOf({
    account,
    signed,
    ask: (_, path, body) => (body ? ask.order('POST', path, body) : ask.json(path, signal)) as Promise<never>,
    isSigned: canVerify ? isSigned : () => true,
  });
  const audit = await auditOf(account, source, shares);
  const left = canVerify
    ? ''
    : '. This browser does not verify signatures of Ed25519 here: `stratum-bridge audit` does';
  return { verdict: verdictOf(account, audit) + left, findings: audit.findings };
}

function signedIn(line: string): object {
  try {
    return JSON.parse(line) as object;
  } catch {
    throw new AskError('that is no line of `keygen proofs`: it begins with {"asks":', true);
  }
}

/** Over plain HTTP browsers have no cryptography, and older ones not this one. */
async function knowsEd25519(): Promise<boolean> {
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return true;
  } catch {
    return false;
  }
}

async function isSigned({ text, key, signature }: SignedRoot): Promise<boolean> {
  try {
    const known = await crypto.subtle.importKey('raw', bytesOf(key), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify(
      'Ed25519',
      known,
      bytesOf(signature),
      new Uint8Array(utf8ToBytes(text)),
    );
  } catch {
    return false; // what is no key signs nothing
  }
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(hexToBytes(hex));
