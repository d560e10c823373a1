/** Answers of the API, by the schemas that they are made with. */
import type { z } from 'zod';
import type { alerts } from '../../../operations/alerts.js';
import type { HASH_RATE } from '../../../operations/entry/fields.js';
import type { NodeView } from '../../../operations/nodes.js';
import type { address, ListedAddresses } from '../../../operations/orders/by-order.js';
import type { Rig } from '../../../operations/rigs.js';
import type { standing } from '../../../operations/session.js';

export type { AccountDetails, ListedAccount, Money } from '../../../operations/accounts.js';
export type { Block, BlockSplit, Blocks } from '../../../operations/blocks.js';
export type { EventView } from '../../../operations/events.js';
export type { History } from '../../../operations/history.js';
export type { PayerView } from '../../../operations/payer/payer-view.js';
export type { PaidLine, Payout, PayoutLines } from '../../../operations/payouts.js';
export type { Rig, RigDetail, Session } from '../../../operations/rigs.js';
export type { Reload, ReloadLook, SettingView as Setting } from '../../../operations/settings.js';
export type { Listeners, PublicSummary, Summary, WorkView as Work } from '../../../operations/state.js';
export type Node = NodeView;
export type Standing = z.output<typeof standing.output>;
export type HashRate = z.output<typeof HASH_RATE>;
export type { Drain } from '../../../operations/drain.js';
export type { ListedAddresses } from '../../../operations/orders/by-order.js';
export type AddressesOrdered = z.output<typeof address.output>;
export type ListName = ListedAddresses['list'];
export type { Alert } from '../../../operations/alerts.js';
export type Alerts = z.output<typeof alerts.output>;

export interface RigList {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly rigs: readonly Rig[];
}
