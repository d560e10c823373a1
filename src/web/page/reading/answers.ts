/** Answers of the API, by the schemas that they are made with. */
import type { z } from 'zod';
import type { address, ListedAddresses } from '../../../operations/by-order.js';
import type { HASH_RATE } from '../../../operations/fields.js';
import type { NodeView } from '../../../operations/nodes.js';
import type { Rig } from '../../../operations/rigs.js';
import type { ALERT, ALERTS } from '../../api/schemas/alert-schemas.js';
import type {
  ACCOUNT_DETAILS,
  BLOCK,
  BLOCK_SPLIT,
  BLOCKS,
  HISTORY,
  MONEY,
  PAYOUT,
  PAYOUT_LINES,
} from '../../api/schemas/book-schemas.js';
import type { EVIDENCE_OF_PAYMENT, PAID_LINE, PAYER } from '../../api/schemas/payer-schemas.js';
import type {
  DOORS,
  HAPPENING,
  PUBLIC_SUMMARY,
  RELOAD,
  RELOAD_LOOK,
  SETTING,
  SUMMARY,
  WORK,
} from '../../api/schemas/schemas.js';
import type { STANDING } from '../../api/schemas/session-schemas.js';

export type { ListedAccount } from '../../../operations/accounts.js';
export type { Rig, RigDetail, Session } from '../../../operations/rigs.js';
export type Summary = z.output<typeof SUMMARY>;
export type PublicSummary = z.output<typeof PUBLIC_SUMMARY>;
export type Node = NodeView;
export type Work = z.output<typeof WORK>;
export type HashRate = z.output<typeof HASH_RATE>;
export type Standing = z.output<typeof STANDING>;
export type Block = z.output<typeof BLOCK>;
export type Blocks = z.output<typeof BLOCKS>;
export type BlockSplit = z.output<typeof BLOCK_SPLIT>;
export type History = z.output<typeof HISTORY>;
export type Payout = z.output<typeof PAYOUT>;
export type PayoutLines = z.output<typeof PAYOUT_LINES>;
export type Payer = z.output<typeof PAYER>;
export type PaidLine = z.output<typeof PAID_LINE>;
export type Evidence = z.output<typeof EVIDENCE_OF_PAYMENT>;
export type Happening = z.output<typeof HAPPENING>;
export type Setting = z.output<typeof SETTING>;
export type Reload = z.output<typeof RELOAD>;
export type ReloadLook = z.output<typeof RELOAD_LOOK>;
export type Doors = z.output<typeof DOORS>;
export type AccountDetails = z.output<typeof ACCOUNT_DETAILS>;
export type Money = z.output<typeof MONEY>;
export type { ListedAddresses } from '../../../operations/by-order.js';
export type { Drain } from '../../../operations/drain.js';
export type AddressesOrdered = z.output<typeof address.output>;
export type ListName = ListedAddresses['list'];
export type Alert = z.output<typeof ALERT>;
export type Alerts = z.output<typeof ALERTS>;

export interface RigList {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly rigs: readonly Rig[];
}
