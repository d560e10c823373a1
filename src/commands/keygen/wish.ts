/** `stratum-bridge keygen wish`: signs how an account wishes to be paid. */
import { type Asked, OK } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { parseAmount } from '../../core/money/amount.js';
import { beneficiariesText, readBeneficiaries } from '../../core/money/beneficiaries.js';
import { ownerIn } from './owner.js';

export async function wish({ words: [file = ''], flags, io }: Asked): Promise<number> {
  const pool = poolIn(flags['pool']);
  const minimum = minimumIn(flags['minimum']);
  const chain = chainIn(flags['chain']);
  const beneficiaries = beneficiariesIn(flags['beneficiaries']);
  const { account, sign } = await ownerIn(file);
  const wished = JSON.stringify({
    account,
    pool,
    minimum,
    chain,
    beneficiaries,
    time: new Date().toISOString(),
  });
  const signature = sign(wished);
  io.stdout.write(`${JSON.stringify({ wish: wished, signature })}\n`);
  if (io.stdout.isTTY)
    io.stdout.write(
      `\nSend it: paste it on the page of your account, or POST /api/v1/accounts/${account}/wish of the pool\n`,
    );
  return OK;
}

function poolIn(given: unknown): string {
  if (/^[0-9a-f]{64}$/.test(String(given))) return String(given);
  throw new ConfigError([
    '--pool is needed: the key of the pool, 64 hex digits, as the page of your account shows it',
  ]);
}

function minimumIn(given: unknown): string | null {
  if (given === undefined || given === 'default') return null;
  if ((parseAmount(String(given)) ?? 0n) > 0n) return String(given);
  throw new ConfigError([`--minimum ${JSON.stringify(given)} is neither default nor an amount above zero`]);
}

function beneficiariesIn(given: unknown): string | null {
  const read = readBeneficiaries(String(given ?? ''), '');
  if (typeof read === 'string') throw new ConfigError([`--beneficiaries: ${read}`]);
  return read.length === 0 ? null : beneficiariesText(read);
}

function chainIn(given: unknown): number | null {
  if (given === undefined || given === 'any') return null;
  if (/^\d{1,9}$/.test(String(given))) return Number(given);
  throw new ConfigError([`--chain ${JSON.stringify(given)} is neither any nor the number of a chain`]);
}
