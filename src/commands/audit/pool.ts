/** What a pool shows of an account, over HTTP: nothing is taken that is not as its API says. */
import type { z } from 'zod';
import { CommandError } from '../../cli/line/command.js';
import type { AuditSource } from '../../core/audit/audit.js';
import { type Shown, sourceOf } from '../../core/audit/source.js';
import { isSignedBy } from '../../core/bytes/ed25519.js';
import { AUDIT_ORDERS, accountSplits, roots } from '../../operations/books/audit.js';
import { pool } from '../../operations/state.js';
import { type Owner, signedAsk } from '../keygen/owner.js';

const ANSWER_MS = 30_000;

const SHAPES = {
  pool: pool.output,
  splits: accountSplits.output,
  roots: roots.output,
  proofs: AUDIT_ORDERS.proofs.output,
} satisfies Readonly<Record<keyof Shown, z.ZodType>>;

/** Throws CommandError for what is no URL. */
export function poolAt(given: string, owner: Owner): AuditSource {
  if (!URL.canParse(given) || !/^https?:/.test(given))
    throw new CommandError(`${JSON.stringify(given)} is no URL of a pool such as https://pool.example`);
  const url = given.replace(/\/+$/, '');
  return sourceOf({
    account: owner.account,
    signed: signedAsk(owner),
    ask: async (what, path, body) => {
      const shape: z.ZodType = SHAPES[what];
      const read = shape.safeParse(await answerOf(url, path, body));
      if (!read.success) throw new CommandError(`${url}${path} answers otherwise than its API says`);
      return read.data as Shown[typeof what];
    },
    isSigned: ({ text, key, signature }) => isSignedBy(key, text, signature),
  });
}

async function answerOf(pool: string, path: string, body?: object): Promise<unknown> {
  const url = pool + path;
  const headers = { 'content-type': 'application/json' };
  const order = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url, { ...order, signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    (cause: Error) => {
      throw new CommandError(`${url} does not answer: ${String(cause.cause ?? cause.message)}`, { cause });
    },
  );
  const given = (await response.json().catch(() => undefined)) as { error?: string } | undefined;
  if (response.ok && given !== undefined) return given;
  if (response.status === 401 || (response.status === 403 && body === undefined))
    throw new CommandError(`${pool} shows roots and splits to operators alone: its web.public is off`);
  throw new CommandError(`${url} answers ${given?.error ?? `${response.status}, and no JSON`}`);
}
