/**
 * Settings of what is earned and paid out. Those of rewards become the ledger's rules where it has none yet, and from then on what differs is only
 * told: `ledger rules set` and `ledger account set` change what holds.
 */
import { choice, quantity, setting } from './setting.js';

export const REWARD_SETTINGS = {
  'rewards.scheme': choice(['pplns', 'prop', 'solo', 'pps'], {
    default: 'pplns',
    basic: true,
    shape: 'NAME',
    help: 'How a block is split: pplns (the last shares before it), prop (the shares since the one before), solo (its finder), pps (each share at its expected value).',
  }),
  'rewards.pplnsWindow': setting((v) => v.rewardWindow, {
    default: '2x',
    shape: 'WINDOW',
    help: 'How far back pplns looks: a multiple of the block difficulty such as 2x, or a time such as 6h.',
  }),
  'rewards.fee': quantity('part', [0, 10_000], {
    default: '1%',
    basic: true,
    help: "The operator's part of what blocks pay: 1% or 0.01.",
  }),
  'rewards.feeOverrides': setting((v) => v.mapOf(v.quantity('part', 0, 10_000)), {
    default: {},
    shape: 'ACCOUNT=PART',
    repeatable: true,
    help: 'The fee of single accounts, 1% or 0.01.',
  }),
  'rewards.schedule': setting((v) => v.rewardSchedule, {
    default: {},
    shape: 'HEIGHT=AMOUNT',
    repeatable: true,
    help: 'Reward of blocks from that height on, where their coinbase cannot be read; pps needs it always.',
  }),
  'rewards.poolAccounts': setting((v) => v.listOf(v.text), {
    default: [],
    shape: 'ACCOUNT',
    repeatable: true,
    help: "The accounts that the pool's blocks pay, of all bridges: what a block pays to any other is credited to nobody, and an alert. Empty: miner.account.",
  }),
  'rewards.confirmDepth': setting(
    (v) => v.autoOr(v.quantity('count', 1, 10_000), 'is neither auto nor a number of blocks from 1 to 10000'),
    {
      default: 'auto',
      shape: 'BLOCKS',
      help: 'Blocks on top of a block, itself included, that make its reward payable; auto: 60, and 6 on a network for development.',
    },
  ),
  'rewards.patience': quantity('time', [60_000, 366 * 86_400_000], {
    default: '1d',
    shape: 'TIME',
    help: 'How long the split of a block waits for the shares of a bridge that was killed, or cannot be heard.',
  }),
  'payouts.minimum': setting((v) => v.payable, {
    default: '1',
    basic: true,
    shape: 'AMOUNT',
    help: 'Balances below it wait for a later payout.',
  }),
};
