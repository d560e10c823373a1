/** `stratum-bridge keygen wish`: signs how an account wishes to be paid. */
import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Asked, CommandError, OK } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { parseAmount } from '../../core/money/amount.js';

/** What stands before the seed of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = '302e020100300506032b657004220420';
const ACCOUNT = /^k:[0-9a-f]{64}$/;

export async function wish({ words: [file = ''], flags, io }: Asked): Promise<number> {
  const minimum = minimumIn(flags['minimum']);
  const chain = chainIn(flags['chain']);
  const { account, secretKey } = await keysIn(file);
  const wished = JSON.stringify({ account, minimum, chain, time: new Date().toISOString() });
  const der = Buffer.from(PKCS8_PREFIX + secretKey, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const signature = sign(null, Buffer.from(wished), key).toString('hex');
  io.stdout.write(`${JSON.stringify({ wish: wished, signature })}\n`);
  if (io.stdout.isTTY) io.stdout.write(`\nSend it: POST /api/v1/accounts/${account}/wish of the pool\n`);
  return OK;
}

function minimumIn(given: unknown): string | null {
  if (given === undefined || given === 'default') return null;
  if ((parseAmount(String(given)) ?? 0n) > 0n) return String(given);
  throw new ConfigError([`--minimum ${JSON.stringify(given)} is neither default nor an amount above zero`]);
}

function chainIn(given: unknown): number | null {
  if (given === undefined || given === 'any') return null;
  if (/^\d{1,9}$/.test(String(given))) return Number(given);
  throw new ConfigError([`--chain ${JSON.stringify(given)} is neither any nor the number of a chain`]);
}

/** As `keygen --out` wrote them. No word of what is in another file is said. */
async function keysIn(path: string): Promise<{ readonly account: string; readonly secretKey: string }> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new CommandError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  const { account, secretKey } = parsed(text);
  if (typeof account === 'string' && ACCOUNT.test(account) && /^[0-9a-f]{64}$/.test(String(secretKey)))
    return { account, secretKey: String(secretKey) };
  throw new CommandError(`${path} holds no keys as \`stratum-bridge keygen --out FILE\` writes them`);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
