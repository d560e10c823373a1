/** Settings of the ledger, and of what is earned and paid out. */
import { z } from 'zod';
import { type Amount, formatAmount } from '../core/money/amount.js';
import { SCHEMES } from '../core/money/rewards.js';
import { amount, amountOrNone, payable } from '../values/amounts.js';
import { listOf, mapOf } from '../values/lists-and-maps.js';
import { numberOf } from '../values/numbers.js';
import { parseSchedule } from '../values/schedule.js';
import { type ConfigOf, choice, onOff, quantity, setting } from '../values/setting.js';
import { formatQuantity, readQuantity, readWhole } from '../values/units.js';
import { urlOrNothing } from '../values/urls.js';
import { autoOr, text } from '../values/words.js';

type PplnsWindow =
  /** Thousandths of the block's difficulty. */
  { readonly of: 'difficulty'; readonly permille: bigint } | { readonly of: 'time'; readonly ms: number };

export interface RewardStep {
  readonly fromHeight: number;
  readonly amount: Amount;
}

const LONGEST_WINDOW_MS = 1_000_000 * 86_400_000;

/** `2x` or `1.5x`: multiples of the block's difficulty; `6h`, `30m`, `2d`: time. */
const rewardWindow = text.transform((given, context): PplnsWindow => {
  const multiple = /^(\d{1,6})(?:\.(\d{1,3}))?x$/.exec(given);
  if (multiple) {
    const permille = BigInt(multiple[1] ?? 0) * 1000n + BigInt((multiple[2] ?? '').padEnd(3, '0') || 0);
    if (permille > 0n) return { of: 'difficulty', permille };
  }
  const ms = readQuantity(given, 'time') ?? 0;
  if (ms > 0 && ms <= LONGEST_WINDOW_MS) return { of: 'time', ms };
  context.addIssue('is neither a multiple of the block difficulty such as 2x nor a time such as 6h');
  return z.NEVER;
});

export function windowText(window: PplnsWindow): string {
  return window.of === 'time' ? formatQuantity(window.ms, 'time') : `${Number(window.permille) / 1000}x`;
}

const rewardSchedule = mapOf(amount).transform((steps, context): readonly RewardStep[] => {
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

function scheduleMap(schedule: readonly RewardStep[]): Record<string, string> {
  return Object.fromEntries(schedule.map(({ fromHeight, amount: step }) => [fromHeight, formatAmount(step)]));
}

/** When payouts are prepared. */
const payoutSchedule = text.refine((given) => typeof parseSchedule(given) !== 'string', {
  error: ({ input }) => `is none: ${parseSchedule(String(input))}`,
});

const NO_LIMIT = 'none: no limit, which payouts.mode auto does not take.';

const limit = (help: string) =>
  setting(amountOrNone, { default: 'none', shape: 'AMOUNT', help: `${help} ${NO_LIMIT}` });

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
 * They become the ledger's rules where it has none yet, and from then on what differs is only told: `ledger rules set` changes what holds, and
 * nothing over HTTP does.
 */
export const RULE_SETTINGS = {
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
  'rewards.scheme': choice(SCHEMES, {
    default: 'pplns',
    basic: true,
    shape: 'NAME',
    help: 'How a block is split: pplns (the last shares before it), prop (the shares since the one before), solo (its finder), pps (each share at its expected value).',
  }),
  'rewards.pplnsWindow': setting(rewardWindow, {
    default: '2x',
    shape: 'WINDOW',
    help: 'How far back pplns looks: a multiple of the block difficulty such as 2x, or a time such as 6h.',
    write: (value) => windowText(value as PplnsWindow),
  }),
  'rewards.fee': quantity('part', [0, '100%'], {
    default: '1%',
    basic: true,
    help: "The operator's part of what blocks pay: 1% or 0.01.",
  }),
  'rewards.schedule': setting(rewardSchedule, {
    default: {},
    shape: 'HEIGHT=AMOUNT',
    repeatable: true,
    help: 'Reward of blocks from that height on, where their coinbase cannot be read; pps needs it always.',
    write: (value) => scheduleMap(value as readonly RewardStep[]),
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
  'payouts.mode': choice(['manual', 'approve', 'auto'], {
    default: 'manual',
    basic: true,
    shape: 'MODE',
    help: 'manual: payouts are files, and somebody pays them. approve: the bridge pays on chain what somebody approves. auto: it pays by itself up to the limits; what is above, and the first payouts, wait for approval.',
  }),
  'payouts.schedule': setting(payoutSchedule, {
    default: 'daily 06:00 UTC',
    shape: 'WHEN',
    help: 'When a payout is prepared: daily 06:00 UTC, weekly Mon 06:00 UTC, hourly, every 30m; off: only by `ledger payout send`.',
  }),
  'payouts.minimum': setting(payable, {
    default: '1',
    basic: true,
    shape: 'AMOUNT',
    help: 'Balances below it wait for a later payout.',
  }),
  'payouts.limit.line': limit('The most that one account is paid by one payout.'),
  'payouts.limit.batch': limit('The most that one payout pays.'),
  'payouts.limit.day': limit('The most that is sent in any 24 hours; what is unknown counts.'),
  'payouts.limit.factor': quantity('count', [0, 1_000], {
    default: 0,
    help: 'A payout of more than so many times the usual one waits for approval. 0: it does not.',
  }),
  'payouts.approvals': quantity('count', [1, 10], {
    default: 1,
    help: 'How many people approve a payout that waits for it.',
  }),
  'payouts.firstApprovals': quantity('count', [0, 1_000], {
    default: 3,
    help: 'So many payouts wait for approval before payouts.mode auto pays by itself.',
  }),
  'payouts.reserve': setting(amount, {
    default: '0.1',
    shape: 'AMOUNT',
    help: 'Coins that stay on each chain.',
  }),
  'payouts.split': onOff({
    default: true,
    help: 'Pay what no single chain has coins for in parts on several. Otherwise it waits.',
  }),
};

/** Fees of single accounts become theirs with the first rules; `ledger account set` changes them. */
export const REWARD_SETTINGS = {
  ...RULE_SETTINGS,
  'rewards.feeOverrides': setting(mapOf(numberOf('part', 0, '100%')), {
    default: {},
    shape: 'ACCOUNT=PART',
    repeatable: true,
    help: 'The fee of single accounts, 1% or 0.01.',
  }),
};

interface RuleCheck {
  readonly key: keyof typeof RULE_SETTINGS;
  /** What is said of its value; `undefined` when nothing is wrong. */
  says(rules: ConfigOf<typeof RULE_SETTINGS>): string | undefined;
}

/** What is wrong between rules, each of which is right by itself. */
export const RULE_CHECKS: readonly RuleCheck[] = [
  {
    key: 'rewards.schedule',
    says: (rules) =>
      rules['rewards.scheme'] === 'pps' && rules['rewards.schedule'].length === 0
        ? 'is empty: rewards.scheme pps pays shares before their block is found, so it needs the reward, give --rewards-schedule 0=AMOUNT'
        : undefined,
  },
  {
    key: 'ledger.retention.accounts',
    says: (rules) =>
      rules['ledger.retention.accounts'] < rules['ledger.retention.rigs']
        ? 'is shorter than ledger.retention.rigs: sums of rigs are proven by those of accounts, so these are kept at least as long'
        : undefined,
  },
  {
    key: 'payouts.mode',
    says: (rules) => {
      const limits = ['payouts.limit.line', 'payouts.limit.batch', 'payouts.limit.day'] as const;
      const missing = limits.filter((key) => rules[key] === 'none');
      if (rules['payouts.mode'] !== 'auto' || missing.length === 0) return undefined;
      return `pays without asking, so it needs limits: set ${missing.join(', ')} (an amount such as 100)`;
    },
  },
];
