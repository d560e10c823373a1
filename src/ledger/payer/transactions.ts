/** What becomes of transactions, each in the transaction of the database that moves the cursor of their chain. */
import type pg from 'pg';
import type { FoundCommand, PayerFacts, PayerReading } from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount, parseAmount } from '../../core/money/amount.js';
import { PAUSES, type PauseReason } from '../../operations/payer/pauses.js';
import { accountIds } from '../accounts/accounts.js';
import type { AppliedBlock, BlockReader, RevertedBlock } from '../chains/readers.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { insertPayout } from '../payments/prepare.js';
import { OPERATOR_ID, SQL as TRANSFERS, transfer, transferPayments } from '../settlement/transfers.js';
import { tellInBooks } from '../timeline.js';

export const SQL = statementsOf<
  'payer/payer.sql',
  {
    open: { signatures: { readonly pubKey: string; readonly sig: string }[] };
    unsigned: { signatures: { readonly pubKey: string; readonly sig: string }[] };
    transactions: { state: 'open' | 'paid' | 'failed' | 'dead' };
    shown: { pauses: { reason: PauseReason; says: string; since: string }[] };
    now: { pauses: PauseReason[] };
    resume: { reason: PauseReason };
  }
>('payer/payer.sql');

interface PayerReaderOptions {
  readonly reading: PayerReading;
  /** As it is before blocks are read: what is built meanwhile was not in them. */
  readonly payer: RowOf<typeof SQL.readers>;
}

const NOTHING: PayerFacts = { commands: [], debits: [], contracts: [] };

/** The payer as a reader of chains: whoever pays, or nobody, and in every mode. */
export function payerReader({ reading, payer }: PayerReaderOptions): BlockReader {
  const { account, ledgerId, isReady } = payer;
  const hasOpen = new Set(payer.chains);
  const own = { account: account ?? undefined, ledgerId };
  // Anybody can write the id of these books into a command of his own. While nobody pays it counts where it has paid somebody: an account may have
  // paid that these books do not know of.
  const isOurs = ({ from, outcome }: FoundCommand): boolean =>
    from === account || (!isReady && outcome === 'paid');
  return {
    wants: ({ chainId, payload }) =>
      hasOpen.has(chainId) || (payload ? reading.concerns(own, payload) : account !== null),
    apply: async (client, block) => {
      const { chainId, hash, payload } = block;
      if (account !== null && !payload) await leaveToPeople(client, block);
      const facts = payload ? await reading.read(own, payload) : NOTHING;
      const { commands, debits, contracts } = facts;
      // First: only the time of its parent counts for a command in it.
      for (const command of commands) await meet(client, block, command, isOurs(command));
      await die(client, block);
      for (const says of debits)
        await pauseFor(client, 'foreignDebit', `block ${hash} of chain ${chainId}: ${says}`);
      for (const says of contracts)
        await pauseFor(client, 'contract', `block ${hash} of chain ${chainId}: ${says}`);
    },
    revert: revertTransactions,
  };
}

/** Nothing that could still be in a block is left of those whose time is over. What no signer has signed is planned anew. */
async function die(
  client: pg.ClientBase,
  { chainId, timeMicros, height, hash }: AppliedBlock,
): Promise<void> {
  const dead = await rowsOf(client, SQL.die, [chainId, timeMicros.toString(), String(height), hash]);
  for (const { lineId, refusedWhy } of dead)
    if (refusedWhy !== null) await run(client, SQL.isFailed, [lineId, refusedWhy]);
}

/** It is written down once, with a line in the timeline. */
export async function pauseFor(client: pg.ClientBase, reason: PauseReason, says: string): Promise<void> {
  const isNew = await rowOf(client, SQL.pause, [reason, says.slice(0, LONGEST)]);
  if (!isNew) return;
  const words = `payments are paused: ${PAUSES[reason].means}: ${says.slice(0, LONGEST)}. ${PAUSES[reason].advice}`;
  await tellInBooks(client, 'payerPaused', { reason }, undefined, words);
}

/** Characters of what is said of one pause. */
const LONGEST = 1_000;

type Known = RowOf<typeof SQL.known>;

/** A command of this ledger in a block is booked, whatever the books thought of it. @param isOurs nobody else can have made it. */
async function meet(
  client: pg.ClientBase,
  block: AppliedBlock,
  command: FoundCommand,
  isOurs: boolean,
): Promise<void> {
  const known = await rowOf(client, SQL.known, [command.requestKey]);
  if (!known) {
    if (isOurs) await meetUnknown(client, block, command);
  } else if (known.state === 'open') await end(client, block, known, command);
  else if (known.isSaid && (known.state === 'paid') === (command.outcome === 'paid'))
    await agree(client, block, known, command);
  else if (command.outcome === 'paid' && known.state !== 'paid') {
    await end(client, block, await inLineOfItsOwn(client, block, known, command), command);
    const says = `${command.requestKey} paid ${command.account} ${formatAmount(command.amount)}, and was taken for ${known.state}`;
    await pauseFor(client, 'paidAfterAll', says);
  }
}

/** It is as people have said: its gas alone is news. */
async function agree(
  client: pg.ClientBase,
  { chainId, height, hash }: AppliedBlock,
  { id, lineId }: Pick<Known, 'id' | 'lineId'>,
  { requestKey, outcome, gas }: FoundCommand,
): Promise<void> {
  const state = outcome === 'paid' ? 'paid' : 'failed';
  const ended = await rowOf(client, SQL.end, [id, state, String(height), hash, formatAmount(gas)]);
  await moveGas(client, { id, times: ended?.times ?? 1, chainId, gas }, true);
  if (outcome === 'paid') await run(client, SQL.isPaid, [lineId, requestKey]);
}

/** Lost with the last rows of a database, or made by a copy of these books. */
async function meetUnknown(client: pg.ClientBase, block: AppliedBlock, command: FoundCommand): Promise<void> {
  const { requestKey, lineId, from, account, amount, cmd, untilMicros, gas, attempt } = command;
  const told = await rowOf(client, SQL.saidPaid, [requestKey, account, formatAmount(amount)]);
  const isPaid = command.outcome === 'paid';
  // What people took for paid and failed is entered beside it.
  const said = told?.isMade && !isPaid ? undefined : told;
  const line = await rowOf(client, SQL.lineFor, [lineId, account, block.chainId, formatAmount(amount)]);
  const isNew = !line && !(await rowOf(client, SQL.hasLine, [lineId]))?.has;
  const id = said?.id ?? line?.id ?? (await enterLine(client, block, command, isNew ? lineId : null));
  const times = [untilMicros.toString(), formatAmount(gas), block.chainId] as const;
  const entered = await rowOf(client, SQL.enterTransaction, [id, attempt, requestKey, cmd, ...times]);
  const found = { id: entered?.id ?? '', lineId: id };
  if (said?.isMade && isPaid) await agree(client, block, found, command);
  else await end(client, block, found, command);
  if (said && !said.isSame)
    await pauseFor(
      ...([client, 'differs'] as const),
      `${requestKey} paid ${account} ${formatAmount(amount)}, and people have entered something else (line ${id})`,
    );
  await run(client, SQL.setStranger, [requestKey, from]);
}

async function enterLine(
  client: pg.ClientBase,
  { chainId }: AppliedBlock,
  { account, amount }: FoundCommand,
  id: string | null,
): Promise<string> {
  const accountId = (await accountIds(client, [account])).get(account);
  const payout = await insertPayout(client, { minimum: amount, chainId });
  const note = 'found on its chain';
  const values = [id, payout, accountId, chainId, formatAmount(amount), note] as const;
  const line = await rowOf(client, SQL.enterLine, values);
  // Not by hand: where its block is taken back, it is still on its way.
  await run(client, SQL.describe, [payout, 0, note]);
  return line?.id ?? '';
}

/** Where its line is paid without it, or another one of it is open. */
async function inLineOfItsOwn(
  client: pg.ClientBase,
  block: AppliedBlock,
  known: Known,
  command: FoundCommand,
): Promise<Known> {
  if (!(await rowOf(client, SQL.isTaken, [known.lineId]))?.isTaken) return known;
  const lineId = await enterLine(client, block, command, null);
  await run(client, SQL.moveTo, [known.id, lineId]);
  return { ...known, lineId };
}

async function end(
  client: pg.ClientBase,
  { chainId, height, hash }: AppliedBlock,
  { id, lineId }: Pick<Known, 'id' | 'lineId'>,
  { requestKey, outcome, gas, why }: FoundCommand,
): Promise<void> {
  const state = outcome === 'paid' ? 'paid' : 'failed';
  const ended = await rowOf(client, SQL.end, [id, state, String(height), hash, formatAmount(gas)]);
  await moveGas(client, { id, times: ended?.times ?? 1, chainId, gas }, true);
  if (outcome === 'paid') {
    await run(client, SQL.isPaid, [lineId, requestKey]);
    await transferPayments(client, [lineId], true);
  } else if (outcome === 'failed')
    await run(client, SQL.isFailed, [lineId, `it failed on its chain: ${why}`]);
  else {
    await run(client, SQL.isUndecided, [lineId, why]);
    await pauseFor(client, 'differs', `${requestKey} in block ${hash} of chain ${chainId}: ${why}`);
  }
}

interface Gas {
  readonly id: string;
  readonly times: number;
  readonly chainId: number;
  readonly gas: Amount;
}

/** The operator's, also of a command that failed. */
async function moveGas(
  client: pg.ClientBase,
  { id, times, chainId, gas }: Gas,
  isCharged: boolean,
): Promise<void> {
  if (gas <= 0n) return;
  const chain = (await rowOf(client, TRANSFERS.chainAccount, [chainId]))?.id ?? 0;
  const [debit, credit] = isCharged ? [OPERATOR_ID, chain] : [chain, OPERATOR_ID];
  const code = isCharged ? 'gas' : 'gas reversed';
  await transfer(client, [{ code, of: BigInt(id), time: times, debit, credit, amount: gas }]);
}

/** Nobody has the payload: what it held of open transactions of its chain only people can find out. */
async function leaveToPeople(client: pg.ClientBase, block: AppliedBlock): Promise<void> {
  const { chainId, hash } = block;
  await leaveOpen(client, block, `block ${hash} was taken over without its payload`);
  await pauseFor(client, 'skipped', `block ${hash} of chain ${chainId}`);
}

/** What is open of a chain that is begun anew: a block may hold it that is never read. */
export async function forgetTransactions(client: pg.ClientBase, first: RevertedBlock): Promise<void> {
  const { chainId } = first;
  if ((await leaveOpen(client, first, 'its chain is begun anew')) > 0)
    await pauseFor(
      client,
      'skipped',
      `chain ${chainId} is begun anew, and was followed from height ${first.height}`,
    );
}

async function leaveOpen(
  client: pg.ClientBase,
  { chainId, height, hash }: RevertedBlock,
  why: string,
): Promise<number> {
  const left = await rowsOf(client, SQL.leaveToPeople, [chainId, String(height), hash]);
  for (const { lineId } of left) await run(client, SQL.isUndecided, [lineId, why]);
  return left.length;
}

/** What it ended is open again: the same bytes are sent while their time lasts. Throws LedgerError `refused`. */
export async function revertTransactions(
  client: pg.ClientBase,
  { chainId, height, hash }: RevertedBlock,
): Promise<void> {
  await run(client, SQL.waitAgain);
  for (const one of await rowsOf(client, SQL.endedBy, [chainId, String(height), hash])) {
    const { id, lineId, state, requestKey, times, newer, byHand } = one;
    if (newer === 'alive')
      throw new LedgerError(
        'refused',
        `line ${lineId} has a newer transaction than ${requestKey}, which block ${hash} ended: settle that first (\`ledger payout settle\`), then order it again`,
      );
    // The newer one was built when the time of this one was over: it outlives it.
    if (newer === 'reopened') continue;
    if (state === 'paid') await transferPayments(client, [lineId], false);
    if (!byHand && state !== 'dead')
      await moveGas(client, { id, times, chainId, gas: parseAmount(one.gas) ?? 0n }, false);
    await run(client, SQL.reopen, [id]);
    await run(client, SQL.isOpenAgain, [lineId]);
  }
}
