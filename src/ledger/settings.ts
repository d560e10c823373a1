/** Settings of the ledger, and of what is earned and paid out. */
import { z } from 'zod';
import { amount, payable } from '../values/amounts.js';
import { listOf, mapOf } from '../values/lists-and-maps.js';
import { numberOf } from '../values/numbers.js';
import { choice, quantity, setting } from '../values/setting.js';
import { readQuantity, readWhole } from '../values/units.js';
import { urlOrNothing } from '../values/urls.js';
import { autoOr, text } from '../values/words.js';

const LONGEST_WINDOW_MS = 1_000_000 * 86_400_000;

/** `2x` or `1.5x`: multiples of the block's difficulty; `6h`, `30m`, `2d`: time. */
const rewardWindow = text.transform((given, context) => {
  const multiple = /^(\d{1,6})(?:\.(\d{1,3}))?x$/.exec(given);
  if (multiple) {
    const permille = BigInt(multiple[1] ?? 0) * 1000n + BigInt((multiple[2] ?? '').padEnd(3, '0') || 0);
    if (permille > 0n) return { of: 'difficulty' as const, permille };
  }
  const ms = readQuantity(given, 'time') ?? 0;
  if (ms > 0 && ms <= LONGEST_WINDOW_MS) return { of: 'time' as const, ms };
  context.addIssue('is neither a multiple of the block difficulty such as 2x nor a time such as 6h');
  return z.NEVER;
});

const rewardSchedule = mapOf(amount).transform((steps, context) => {
  const parsed = Object.entries(steps).map(([height, step]) => ({
    fromHeight: Number(readWhole(height, 'count') ?? -1),
    amount: step,
  }));
  if (parsed.every(({ fromHeight }) => Number.isSafeInteger(fromHeight) && fromHeight >= 0)) {
    return parsed.sort((a, b) => a.fromHeight - b.fromHeight);
  }
  context.addIssue('has a key that is no height');
  return z.NEVER;
});

export const DATABASE_SETTINGS = {
  'ledger.databaseUrl': setting(urlOrNothing('postgres:', 'postgresql:'), {
    default: '',
    basic: true,
    shape: 'URL',
    secret: 'url',
    help: 'PostgreSQL for the ledger. Empty: an embedded one in the data directory.',
  }),
};

/**
 * Those of the chain, of rewards and of how long sums are kept become the ledger's rules where it has none yet, and from then on what differs is only told:
 * `ledger rules set` and `ledger account set` change what holds.
 */
export const REWARD_SETTINGS = {
  'ledger.retention.rigs': quantity('time', ['2d', '36600d'], {
    default: '90d',
    shape: 'TIME',
    help: 'How long sums of single rigs are kept, and for as many days with shares.',
  }),
  'ledger.retention.accounts': quantity('time', ['32d', '36600d'], {
    default: '730d',
    shape: 'TIME',
    help: 'How long sums of accounts and of the pool are kept, and for as many days with shares. Money is kept for ever.',
  }),
  'chain.depth': setting(
    autoOr(numberOf('count', 1, 10_000), 'is neither auto nor a number of blocks from 1 to 10000'),
    {
      default: 'auto',
      shape: 'BLOCKS',
      help: 'Blocks on top of a block before it counts; auto: 60, and 6 on a network for development.',
    },
  ),
  'chain.nodes': setting(
    autoOr(numberOf('count', 1, 100), 'is neither auto nor a number of nodes from 1 to 100'),
    {
      default: 'auto',
      shape: 'N',
      help: 'How many nodes must have a block on the branch of their head, with chain.depth blocks on top, before it is taken over. auto: 2 on public networks where node.urls names two or more, else 1.',
    },
  ),
  'rewards.scheme': choice(['pplns', 'prop', 'solo', 'pps'], {
    default: 'pplns',
    basic: true,
    shape: 'NAME',
    help: 'How a block is split: pplns (the last shares before it), prop (the shares since the one before), solo (its finder), pps (each share at its expected value).',
  }),
  'rewards.pplnsWindow': setting(rewardWindow, {
    default: '2x',
    shape: 'WINDOW',
    help: 'How far back pplns looks: a multiple of the block difficulty such as 2x, or a time such as 6h.',
  }),
  'rewards.fee': quantity('part', [0, '100%'], {
    default: '1%',
    basic: true,
    help: "The operator's part of what blocks pay: 1% or 0.01.",
  }),
  'rewards.feeOverrides': setting(mapOf(numberOf('part', 0, '100%')), {
    default: {},
    shape: 'ACCOUNT=PART',
    repeatable: true,
    help: 'The fee of single accounts, 1% or 0.01.',
  }),
  'rewards.schedule': setting(rewardSchedule, {
    default: {},
    shape: 'HEIGHT=AMOUNT',
    repeatable: true,
    help: 'Reward of blocks from that height on, where their coinbase cannot be read; pps needs it always.',
  }),
  'rewards.poolAccounts': setting(listOf(text), {
    default: [],
    shape: 'ACCOUNT',
    repeatable: true,
    help: "The accounts that the pool's blocks pay, of all bridges: what a block pays to any other is credited to nobody, and an alert. Empty: miner.account.",
  }),
  'rewards.patience': quantity('time', ['1m', '366d'], {
    default: '1d',
    shape: 'TIME',
    help: 'How long the split of a block waits for the shares of a bridge that was killed, or cannot be heard.',
  }),
  'payouts.minimum': setting(payable, {
    default: '1',
    basic: true,
    shape: 'AMOUNT',
    help: 'Balances below it wait for a later payout.',
  }),
};
