/** What a block that was taken over holds of the payer: commands of its ledger, and coins that left its account by anything else. */

import type { FoundCommand, PayerReading, Paying } from '../../bridge/payouts/payer-books.js';
import type { PayloadOutputs } from '../../bridge/ports.js';
import { requestKeyOf } from '../../chain/request-key.js';
import { amountIn, type Fields, fieldsOf, readExactly, transferEvents } from '../../core/bytes/outputs.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { UNITS_A_COIN } from '../../core/money/decimal.js';
import { storable } from '../../core/names/names.js';
import { readTransfer } from '../command/read.js';
import { mapInTurns } from '../turns.js';

/**
 * Hashes of `coin` as it ran on public networks when this was written (`mainnet01`, `testnet04`), and on test networks from
 * their first block on.
 */
const KNOWN_CONTRACTS: ReadonlySet<unknown> = new Set([
  'klFkrLfpyLW-M3xjVPSdqXEMgxPPJibRt_D6qiBws6s',
  '3iIBQdJnst44Z2ZgXoHPkAauybJ0h85l_en_SGHNibE',
]);

/** A block says no more of what is wrong with it. */
const MOST_SAID = 4;
/** Characters of what a contract says. */
const LONGEST_SAID = 300;

interface Move {
  readonly from: unknown;
  readonly to: unknown;
  readonly amount: Amount | undefined;
  readonly moduleHash: unknown;
}

interface Output {
  readonly fields: Fields | undefined;
  readonly moves: readonly Move[];
}

/** To read one and hash it takes up to a millisecond. */
const AT_A_TIME = 4;

export const payerReading: PayerReading = {
  concerns: (payer, { transactions }) => transactions.some((one) => isMine(one, payer)),
  read: async (payer, payload) => {
    const commands: FoundCommand[] = [];
    const debits: string[] = [];
    const contracts: string[] = [];
    const mine = payload.transactions.filter((one) => isMine(one, payer));
    const miner = mine.length === 0 ? undefined : minerOf(payload);
    await mapInTurns(mine, AT_A_TIME, ({ command: text, output }) => {
      const cmd = cmdIn(text);
      const read = readOutput(output);
      const command = cmd === undefined ? undefined : commandIn(cmd, read, payer, miner);
      if (command) commands.push(command);
      else if (payer.account === undefined) return;
      else debits.push(...debitsIn(cmd, read, payer.account));
      const strange = read.moves.find(({ moduleHash }) => !KNOWN_CONTRACTS.has(moduleHash));
      if (strange) contracts.push(storable(`coin ran with hash ${String(strange.moduleHash)}`, LONGEST_SAID));
    });
    return { commands, debits: debits.slice(0, MOST_SAID), contracts: contracts.slice(0, MOST_SAID) };
  },
};

/** By the text alone: most transactions are nobody's here. */
function isMine(
  { command, output }: PayloadOutputs['transactions'][number],
  { account, ledgerId }: Paying,
): boolean {
  if (command.includes(ledgerId)) return true;
  return account !== undefined && (command.includes(account) || output.includes(account));
}

function minerOf({ coinbase }: PayloadOutputs): unknown {
  return transferEvents(readExactly(coinbase)).find(({ from }) => from === '')?.to;
}

function cmdIn(command: string): string | undefined {
  const cmd = readExactly(command)?.['cmd'];
  return typeof cmd === 'string' ? cmd : undefined;
}

function readOutput(output: string): Output {
  const fields = readExactly(output);
  return { fields, moves: transferEvents(fields).filter(({ isCoin }) => isCoin) };
}

/** `undefined` for what is none of this ledger. */
function commandIn(
  cmd: string,
  { fields, moves }: Output,
  { ledgerId }: Paying,
  miner: unknown,
): FoundCommand | undefined {
  const read = readTransfer(cmd);
  if (read.is !== 'transfer') return undefined;
  const { transfer, attempt, requestKey } = read;
  if (attempt.ledgerId !== ledgerId) return undefined;
  const { to, amount, creationTimeS, ttlS, gasPrice } = transfer;
  const { account } = transfer.from;
  const found = {
    ...{ requestKey, cmd, lineId: attempt.paymentId, attempt: attempt.attempt },
    ...{ from: account, account: to, amount },
    untilMicros: BigInt(creationTimeS + ttlS) * 1_000_000n,
  };
  const used = amountIn(fields?.['gas']);
  const gas = used === undefined ? 0n : (used * gasPrice) / UNITS_A_COIN;
  const differs = (why: string): FoundCommand => ({ ...found, gas, outcome: 'differs', why });
  if (fields?.['reqKey'] !== requestKey) return differs(`its output is of ${said(fields?.['reqKey'])}`);
  if (used === undefined) return differs('its gas is no number');
  const { status, error } = fieldsOf(fields['result']) ?? {};
  const left = withoutFee(moves, { account, miner, fee: gas }).filter(({ from }) => from === account);
  if (status === 'failure') {
    const why = said(fieldsOf(error)?.['message'] ?? 'the contract gave no reason');
    return left.length === 0
      ? { ...found, gas, outcome: 'failed', why }
      : differs('it failed, and coins moved');
  }
  if (status !== 'success') return differs(`its status is ${said(status)}`);
  const [only, more] = left;
  if (!only || more || only.to !== to || only.amount !== amount)
    return differs('what moved is not what its command says');
  return { ...found, gas, outcome: 'paid', why: '' };
}

/** One event pays for the gas: the last today, the first on older blocks. */
function withoutFee(
  moves: readonly Move[],
  { account, miner, fee }: { readonly account: string; readonly miner: unknown; readonly fee: Amount },
): readonly Move[] {
  const at = moves.findLastIndex(
    ({ from, to, amount }) => from === account && to === miner && amount === fee,
  );
  return moves.filter((_, i) => i !== at);
}

/** What moved out of the account by anything but a command of this ledger; its gas, too. */
function debitsIn(cmd: string | undefined, { moves }: Output, account: string): string[] {
  const key = cmd === undefined ? 'what is no command' : requestKeyOf(cmd);
  return moves
    .filter(({ from }) => from === account)
    .map(({ to, amount }) =>
      storable(
        `${key} moved ${amount === undefined ? 'coins' : formatAmount(amount)} to ${String(to)}`,
        LONGEST_SAID,
      ),
    );
}

function said(value: unknown): string {
  return storable(typeof value === 'string' ? value : JSON.stringify(value ?? null), LONGEST_SAID);
}
