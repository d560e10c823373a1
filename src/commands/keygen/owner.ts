/** Whom a file of keys belongs to, and what is signed with it. */
import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/line/command.js';
import { privateKeyOf, signText } from '../../core/bytes/ed25519.js';

const ACCOUNT = /^k:[0-9a-f]{64}$/;

export interface Owner {
  readonly account: string;
  /** By the account's key, as hex. */
  sign(text: string): string;
}

/** That the owner asks for proofs, as a pool takes it: for an hour. */
export function signedAsk({ account, sign }: Owner): { readonly asks: string; readonly signature: string } {
  const asks = JSON.stringify({ account, asks: 'proofs', time: new Date().toISOString() });
  return { asks, signature: sign(asks) };
}

/** As `keygen --out` wrote them. No word of what is in another file is said. */
export async function ownerIn(path: string): Promise<Owner> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new CommandError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  const { account, secretKey } = parsed(text);
  if (typeof account === 'string' && ACCOUNT.test(account) && /^[0-9a-f]{64}$/.test(String(secretKey)))
    return ownerOf(account, String(secretKey));
  throw new CommandError(`${path} holds no keys as \`stratum-bridge keygen --out FILE\` writes them`);
}

function ownerOf(account: string, secretKey: string): Owner {
  const key = privateKeyOf(secretKey);
  return { account, sign: (text) => signText(text, key) };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
