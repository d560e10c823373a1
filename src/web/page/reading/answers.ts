/** Answers of the API, by the schemas that they are made with. */
import type { z } from 'zod';
import type { alerts } from '../../../operations/alerts.js';
import type { ListedAccount } from '../../../operations/books/accounts.js';
import type { LedgerLists } from '../../../operations/books/ledger.js';
import type { HASH_RATE } from '../../../operations/entry/fields.js';
import type { RigState } from '../../../operations/enums.js';
import type { NodeView } from '../../../operations/nodes.js';
import type { address, ListedAddresses } from '../../../operations/orders/by-order.js';
import type { Rig } from '../../../operations/rigs.js';
import type { standing } from '../../../operations/session.js';

export type { Ban } from '../../../operations/bans.js';
export type {
  AccountDetails,
  AllMoney,
  EarnedDay,
  ListedAccount,
  PaidDay,
} from '../../../operations/books/accounts.js';
export type { Root } from '../../../operations/books/audit.js';
export type { Block, BlockSplit, Blocks } from '../../../operations/books/blocks.js';
export type { PaidLine, Payout, PayoutLines } from '../../../operations/books/payouts.js';
export type { EventView } from '../../../operations/events.js';
export type { History } from '../../../operations/history.js';
export type { PayerView } from '../../../operations/payer/payer-view.js';
export type { Rig, RigDetail, Session } from '../../../operations/rigs.js';
export type { Reload, ReloadLook, SettingView as Setting } from '../../../operations/settings.js';
export type { Listeners, Pool, PublicSummary, Summary, WorkView as Work } from '../../../operations/state.js';
export type Node = NodeView;
export type Standing = z.output<typeof standing.output>;
export type HashRate = z.output<typeof HASH_RATE>;
export type { Drain } from '../../../operations/drain.js';
export type { ListedAddresses, OrderedDifficulty, RigLabel } from '../../../operations/orders/by-order.js';
export type AddressesOrdered = z.output<typeof address.output>;
export type ListName = ListedAddresses['list'];
export type { Alert } from '../../../operations/alerts.js';
export type Alerts = z.output<typeof alerts.output>;
export type ChainTransaction = LedgerLists['transactions'];
/** What the operator has, or a chain, by the ledger. */
export type Holding = LedgerLists['operator'];

export interface RigList {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  /** Of those that are asked for, whatever their state. */
  readonly states: Readonly<Record<RigState, number>>;
  readonly rigs: readonly Rig[];
}

export interface AccountList {
  readonly total: number;
  readonly accounts: readonly ListedAccount[];
  /** The ledger answered: those that only it knows are in the list. */
  readonly isComplete: boolean;
}
