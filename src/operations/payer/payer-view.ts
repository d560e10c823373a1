/** How payments on chain stand, of all bridges on the ledger. */
import { z } from 'zod';
import { COUNT, TIME } from '../entry/fields.js';
import { PAUSE_REASONS } from './pauses.js';

const PAUSED = z
  .object({
    reason: z.enum(PAUSE_REASONS),
    says: z.string().describe('what was found'),
    since: TIME,
  })
  .meta({ id: 'Pause' });

export const PAYER = z
  .object({
    isPaying: z.boolean().describe('a bridge has the role, and was heard of in the last 30 s'),
    holder: z.string().nullable().describe('host and data directory of the bridge that has it'),
    heardAt: TIME.nullable(),
    account: z.string().nullable().describe('that pays; null: none has paid yet'),
    pauses: z.array(PAUSED).describe('why nothing is built, signed or sent for the first time'),
    isReady: z.boolean().describe('the wait that follows each taking of the role is over'),
    waitsUntil: TIME.nullable().describe(
      'blocks of every chain have to be taken over up to this time before anything is paid; null: they are',
    ),
    cursorAt: TIME.nullable().describe('up to where the chain that is behind is taken over'),
    lines: COUNT.describe('payments that are to be made'),
    open: COUNT.describe('transactions of which no block at the depth has said yet what became of them'),
    sent: COUNT.describe('of these, sent'),
    waiting: COUNT.describe('payouts that wait for approval'),
    held: COUNT.describe('accounts that people hold'),
    plannedAt: TIME.describe('when what is due was last looked through'),
    isAsked: z.boolean().describe('somebody has asked for a payout beside the schedule'),
    waitingWhy: z.string().describe('why what was due then is not in a payout; empty: all is'),
    warning: z.string().describe('what is dangerous about who pays; empty: nothing is'),
    words: z.array(z.string()).describe('all of this in sentences, for people; none where nobody ever paid'),
  })
  .meta({ id: 'Payer' });

export type PayerView = z.output<typeof PAYER>;
