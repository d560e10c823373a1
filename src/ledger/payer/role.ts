/** Who pays on chain, of all bridges: the holder of a token, which each of its commits names and writes anew. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import {
  type DueAccount,
  type NewTransaction,
  type NothingPlanned,
  type OpenTransaction,
  type PayerBooks,
  type PayerRole,
  type PayerState,
  type PlannedPayout,
  type Promised,
  RoleLostError,
  type Taking,
  type ToBound,
} from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount, parseAmount } from '../../core/money/amount.js';
import type { PauseReason } from '../../operations/payer/pauses.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run } from '../database/statements.js';
import { bulkRows, inTransaction } from '../database/transaction.js';
import { tellPrepared } from '../payments/payout-news.js';
import { insertPayout } from '../payments/prepare.js';
import { rulesNow } from '../rules/rules.js';
import { pauseFor, SQL } from './transactions.js';

/** Lines that are looked at in one turn. */
const LINES = 2_000;
/** Accounts of one payout; the others are in the next one. */
const MOST_DUE = 10_000;
/** Rows that are read or written at once: rigs of this process have their turn in between. */
const AT_ONCE = 500;
const WITHDRAWN = 'the balance of its account does not cover all that it is to be paid: planned anew';

export function payerBooks(pool: pg.Pool): PayerBooks {
  return { rules: () => rulesNow(pool), take: (taking) => take(pool, taking) };
}

async function take(pool: pg.Pool, taking: Taking): Promise<PayerRole | undefined> {
  const { place, account, validityMicros, seenMicros, isNewLedger, warning } = taking;
  const role = new Role(pool);
  return role.write(async (client, token) => {
    const now = await rowOf(client, SQL.roleNow);
    if (now?.account && now.account !== account)
      throw new LedgerError(
        'refused',
        `this ledger pays from ${now.account}, and the settings here say ${account}: \`ledger payout rebind --to ${account} --note WHY\` changes that once no transaction is open`,
      );
    if (now?.holder && !now.isSilent) return undefined;
    const numbers = [validityMicros.toString(), seenMicros.toString()] as const;
    await run(client, SQL.take, [token, place, account, ...numbers, isNewLedger, warning]);
    return role;
  });
}

class Role implements PayerRole {
  readonly #pool: pg.Pool;
  /** It wrote one of them last: of a commit that was not answered it is not known whether it was one. */
  #tokens: readonly string[] = [];

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  state(): Promise<PayerState> {
    return this.#commit(async (client) => {
      await run(client, SQL.becomeReady);
      const now = await rowOf(client, SQL.now);
      if (!now) throw new Error('the ledger has no row of who pays');
      const open = await inPages('0', (after) => rowsOf(client, SQL.open, [after, AT_ONCE]), openFrom);
      const mayBuild = now.isReady && now.pauses.length === 0;
      const lines = mayBuild ? await rowsOf(client, SQL.toPay, [LINES, now.chains]) : [];
      return {
        ...now,
        open: open.filter((one) => one !== undefined),
        lines: lines.map((line) => ({ ...line, amount: amountOf(line.amount) })),
      };
    });
  }

  async due(minimum: Amount): Promise<readonly DueAccount[]> {
    const least = formatAmount(minimum);
    return inPages(0, (after) => rowsOf(this.#pool, SQL.due, [least, after, AT_ONCE]), dueFrom, MOST_DUE);
  }

  async toBound(): Promise<ToBound> {
    const { lastDay = '0', formerPayouts = [], payouts = 0 } = (await rowOf(this.#pool, SQL.toBound)) ?? {};
    return { lastDay: amountOf(lastDay), formerPayouts: formerPayouts.map(amountOf), payouts };
  }

  async promised(): Promise<readonly Promised[]> {
    const rows = await rowsOf(this.#pool, SQL.promised);
    return rows.map((row) => ({ ...row, amount: amountOf(row.amount) }));
  }

  async plan(payout: PlannedPayout | NothingPlanned): Promise<void> {
    await this.#commit(async (client) => {
      if (await isPaused(client)) return;
      await run(client, SQL.planned, [payout.waitingWhy, 'isPutOff' in payout && payout.isPutOff]);
      if (!('lines' in payout)) return;
      const { minimum, lines, approvals, approvalWhy } = payout;
      const id = await insertPayout(client, { minimum });
      for (let i = 0; i < lines.length; i += AT_ONCE) {
        const some = lines.slice(i, i + AT_ONCE);
        await bulkRows(client, SQL.insertLines, [
          id,
          some.map(({ accountId }) => accountId),
          some.map(({ chainId }) => chainId),
          some.map(({ amount }) => formatAmount(amount)),
        ]);
      }
      await run(client, SQL.describe, [id, approvals, approvalWhy]);
      await tellPrepared(client, id, undefined);
    });
  }

  async build(transactions: readonly NewTransaction[]): Promise<void> {
    await this.#commit(async (client) => {
      if (await isPaused(client)) return;
      const found = await rowsOf(client, SQL.covered, [transactions.map(({ lineId }) => lineId)]);
      const covered = new Map(found.map(({ id, isCovered }) => [id, isCovered]));
      const bare = [...covered].filter(([, isCovered]) => !isCovered).map(([id]) => id);
      if (bare.length > 0) await run(client, SQL.withdraw, [bare, WITHDRAWN]);
      for (const { lineId, attempt, requestKey, cmd, untilMicros, gas } of transactions)
        if (covered.get(lineId))
          await run(client, SQL.build, [
            ...([lineId, attempt, requestKey, cmd] as const),
            untilMicros.toString(),
            formatAmount(gas),
          ]);
    });
  }

  asking(ids: readonly string[]): Promise<boolean> {
    return this.#unlessStopped(ids, SQL.asking);
  }

  async keepSignatures(signed: Parameters<PayerRole['keepSignatures']>[0]): Promise<void> {
    await this.#commit(async (client) => {
      for (const { id, signatures, isSigned } of signed)
        await run(client, SQL.sign, [id, JSON.stringify(signatures), isSigned]);
    });
  }

  async refuse(id: string, why: string): Promise<void> {
    await this.#commit((client) => run(client, SQL.refuse, [id, why]));
  }

  sending(ids: readonly string[]): Promise<boolean> {
    return this.#unlessStopped(ids, SQL.sending);
  }

  async leaveOut(lines: Parameters<PayerRole['leaveOut']>[0]): Promise<void> {
    const [ids, whys] = [lines.map(({ id }) => id), lines.map(({ why }) => why)];
    await this.#commit((client) => run(client, SQL.leaveOut, [ids, whys]));
  }

  async pause(reason: PauseReason, says: string): Promise<void> {
    await this.#commit((client) => pauseFor(client, reason, says));
  }

  async leave(): Promise<void> {
    await run(this.#pool, SQL.leave, [this.#tokens]);
  }

  /** False while payments are paused, and where one of the transactions is open no more: what is open is read anew then. */
  async #unlessStopped(
    ids: readonly string[],
    write: typeof SQL.asking | typeof SQL.sending,
  ): Promise<boolean> {
    return this.#commit(async (client) => {
      if (await isPaused(client)) return false;
      return (await run(client, write, [ids])) === ids.length;
    });
  }

  /** Names the token before it, and writes a new one. */
  async #commit<T>(write: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    return this.write(async (client, token) => {
      const held = await rowOf(client, SQL.renew, [this.#tokens, token]);
      if (!held) throw new RoleLostError('another bridge pays, or the ledger went back');
      // It is there, so the books did not go back: nobody here can have made it.
      if (held.stranger !== null) {
        await pauseFor(client, 'anotherPayer', `request key ${held.stranger}`);
        await run(client, SQL.forgetStranger);
      }
      return write(client);
    });
  }

  /** A token is kept as long as it is not known whether it was written. */
  async write<T>(write: (client: pg.ClientBase, token: string) => Promise<T>): Promise<T> {
    const token = randomUUID();
    const result = await inTransaction(this.#pool, async (client) => {
      const written = await write(client, token);
      this.#tokens = [...this.#tokens, token];
      return written;
    });
    this.#tokens = [token];
    return result;
  }
}

async function isPaused(client: pg.ClientBase): Promise<boolean> {
  return (await rowOf(client, SQL.isPaused))?.isPaused ?? true;
}

/** All of them, page by page in the order of their ids; what changes between two pages might as well have changed after the last. @param most at about so many it ends. */
async function inPages<R extends { readonly id: string | number }, T>(
  first: R['id'],
  read: (after: R['id']) => Promise<readonly R[]>,
  map: (row: R) => T,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const all: T[] = [];
  let after = first;
  for (;;) {
    const rows = await read(after);
    all.push(...rows.map(map));
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE || all.length >= most) return all;
    after = last.id;
  }
}

/** `undefined`: no signer signs it, or its account is held: it waits for the end of its time. */
function openFrom({ isLeftOut, ...one }: RowOf<typeof SQL.open>): OpenTransaction | undefined {
  if (isLeftOut) return undefined;
  const { amount, gas, untilMicros } = one;
  return { ...one, amount: amountOf(amount), gas: amountOf(gas), untilMicros: BigInt(untilMicros) };
}

function dueFrom({ id, account, due, wishedChain, minimum }: RowOf<typeof SQL.due>): DueAccount {
  const amounts = { due: amountOf(due), minimum: amountOf(minimum) };
  return { id, account, ...amounts, wishedChain: wishedChain ?? undefined };
}

function amountOf(text: string): Amount {
  return parseAmount(text) ?? 0n;
}
