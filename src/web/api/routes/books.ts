/** An account, blocks and payouts, from the books. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type {
  AccountBooks,
  AccountPayout,
  BestShare,
  BookedBlock,
  BooksWatch,
  Payment,
  Rounds,
} from '../../../bridge/watch/books-watch.js';
import { FAULT, nameOf, SLICE, wholeNumber } from '../../../operations/fields.js';
import { isOperator } from '../../access/standing.js';
import { expectedReward, meanDifficulty } from '../../state/expected-reward.js';
import { type SummarySources, worksOf } from '../../state/summary.js';
import {
  ACCOUNT_DETAILS,
  type BLOCK,
  BLOCKS,
  MONEY,
  PAGE,
  PAYOUT_LINES,
  PAYOUTS,
  STATE,
} from '../schemas/book-schemas.js';
import { showPayout } from '../show/show-payouts.js';
import type { Api } from '../typed.js';

const FAULTS = { 400: FAULT, 404: FAULT, 503: FAULT };
/** Of its luck fewer blocks say nothing. */
const LUCK_FROM = 10;
const MAX_CHAIN = 2 ** 16;

/** As who asks may ask them. */
export type BooksFor = (request: FastifyRequest) => BooksWatch;

/** @param booksFor for what miners may see. */
export function addBookRoutes(api: Api, state: SummarySources, books: BooksWatch, booksFor: BooksFor): void {
  addAccount(api, state, booksFor);
  addAllMoney(api, books);
  addBlocks(api, state, booksFor);
  addPayouts(api, books);
  addPayout(api, books);
}

function addAccount(api: Api, state: SummarySources, booksFor: BooksFor): void {
  api.get(
    '/api/v1/accounts/:account',
    {
      config: { access: 'miner' },
      schema: {
        tags: ['rigs'],
        summary: 'An account: its money, rigs, payments, and what it may expect a day',
        description: 'From the ledger: of all bridges on it, and of accounts that do not mine now.',
        params: z.object({ account: nameOf('account').min(1, 'the name of an account') }),
        response: { 200: ACCOUNT_DETAILS, ...FAULTS },
      },
    },
    async (request, reply) => {
      const { account } = request.params;
      const found = await booksFor(request).account(account);
      if (!found)
        return reply.code(404).send({ error: `no account ${JSON.stringify(account)} is in the books` });
      return showDetails(account, found, state);
    },
  );
}

function addAllMoney(api: Api, books: BooksWatch): void {
  const schema = {
    tags: ['books'],
    summary: 'What all accounts together can be paid, are being paid and were paid',
    description: 'From the ledger: of all bridges on it. Up to five seconds old',
    response: { 200: MONEY, 503: FAULT },
  };
  api.get('/api/v1/money', { schema }, () => books.allMoney());
}

const iso = (ms: number): string => new Date(ms).toISOString();

function showDetails(
  account: string,
  { rigs, payments, payout, rate, pay, best, balance, held, paying, paid }: AccountBooks,
  state: SummarySources,
): z.output<typeof ACCOUNT_DETAILS> {
  const difficulties = difficultiesOf(state);
  const difficulty = meanDifficulty(difficulties);
  return {
    account,
    ...{ balance, held, paying, paid },
    hashRate: rate
      ? {
          minutes: Math.round(rate.overMs / 600) / 100,
          hashesPerSecond: Math.round(rate.hashesPerSecond),
          standardError: Math.round(rate.standardError),
        }
      : null,
    expected: {
      ...expectedReward(rate, difficulties, pay),
      blockDifficulty: difficulty === undefined ? null : Math.round(difficulty),
      reward: pay?.reward ?? null,
      rewardBlocks: pay?.blocks ?? 0,
      fee: pay ? pay.feeBasisPoints / 10_000 : null,
    },
    bestEver: showBest(best),
    rigCount: rigs.total,
    rigs: rigs.items.map(({ rig, lastShare, best }) => ({
      rig,
      lastShareAt: lastShare ? iso(lastShare.fromMs) : null,
      lastShareSpanMs: lastShare?.spanMs ?? null,
      bestEver: showBest(best),
    })),
    payments: payments.map(showPayment),
    payout: showAccountPayout(payout),
  };
}

function showAccountPayout({ wishedAtMs, nextAtMs, ...payout }: AccountPayout) {
  const timeOf = (ms: number | null): string | null => (ms === null ? null : iso(ms));
  return { ...payout, wishedAt: timeOf(wishedAtMs), nextRun: timeOf(nextAtMs) };
}

function showBest(best: BestShare | undefined) {
  return best ? { difficulty: String(BigInt(Math.round(best.difficulty))), at: iso(best.atMs) } : null;
}

function difficultiesOf(state: SummarySources): bigint[] {
  return worksOf(state).map(({ blockDifficulty }) => BigInt(blockDifficulty));
}

function showPayment({ preparedAtMs, changedAtMs, ...payment }: Payment) {
  return { ...payment, preparedAt: iso(preparedAtMs), changedAt: iso(changedAtMs) };
}

function addBlocks(api: Api, state: SummarySources, booksFor: BooksFor): void {
  const chain = wholeNumber(0, MAX_CHAIN).optional().describe('of one chain');
  api.get(
    '/api/v1/blocks',
    {
      config: { access: 'miner' },
      schema: {
        tags: ['books'],
        summary: 'Blocks that the pool found, the latest first, with luck and the work since the last one',
        description:
          'From the ledger: of all bridges on it. Without `state`: every solution that a node may have taken. Strangers are told neither finder nor node',
        querystring: z.strictObject({ state: STATE.optional(), chain, ...PAGE }),
        response: { 200: BLOCKS, 400: FAULT, 503: FAULT },
      },
    },
    async (request) => {
      const { state: wanted, chain, before, limit } = request.query;
      const books = booksFor(request);
      const [page, rounds] = await Promise.all([
        books.blocks({
          limit,
          ...(wanted === undefined ? {} : { state: wanted }),
          ...(chain === undefined ? {} : { chainId: chain }),
          ...(before === undefined ? {} : { before }),
        }),
        books.rounds(),
      ]);
      return {
        blocks: page.items.map(isOperator(request) ? showBlock : showStrangers),
        next: page.next ?? null,
        sinceLast: showOpen(rounds, meanDifficulty(difficultiesOf(state))),
        luck: luckOf(rounds),
        bestEver: showBest(rounds.best),
      };
    },
  );
}

function showBlock({
  account,
  rig,
  foundAtMs,
  reward,
  effort,
  ...block
}: BookedBlock): z.output<typeof BLOCK> {
  return {
    ...block,
    reward: reward ?? null,
    finder: { account, rig },
    foundAt: iso(foundAtMs),
    effort: effort === undefined ? null : rounded(effort),
  };
}

/** A name is known to whose it is, and a node to the operator. */
function showStrangers(block: BookedBlock): z.output<typeof BLOCK> {
  return { ...showBlock(block), finder: null, node: null, detail: null };
}

function showOpen({ open: { sinceMs, work } }: Rounds, difficulty: number | undefined) {
  return {
    since: iso(sinceMs),
    work,
    effort: difficulty === undefined ? null : rounded(Number(work) / difficulty),
    blockDifficulty: difficulty === undefined ? null : Math.round(difficulty),
  };
}

function luckOf({ last: { blocks, expected } }: Rounds): z.output<typeof BLOCKS>['luck'] {
  if (blocks < LUCK_FROM || expected === 0) return null;
  return { luck: rounded(blocks / expected), standardError: rounded(1 / Math.sqrt(blocks)), blocks };
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function addPayouts(api: Api, books: BooksWatch): void {
  api.get(
    '/api/v1/payouts',
    {
      schema: {
        tags: ['books'],
        summary: 'Payouts, the latest first',
        querystring: z.strictObject({ ...PAGE, limit: wholeNumber(1, 100).default(20) }),
        response: { 200: PAYOUTS, 400: FAULT, 503: FAULT },
      },
    },
    async ({ query: { before, limit } }) => {
      const { items, next = null } = await books.payouts({
        limit,
        ...(before === undefined ? {} : { before }),
      });
      return { payouts: items.map(showPayout), next };
    },
  );
}

function addPayout(api: Api, books: BooksWatch): void {
  api.get(
    '/api/v1/payouts/:id',
    {
      schema: {
        tags: ['books'],
        summary: 'A payout, and whom it pays',
        params: z.object({ id: z.string().regex(/^\d{1,18}$/, 'the number of a payout') }),
        querystring: z.strictObject(SLICE),
        response: { 200: PAYOUT_LINES, ...FAULTS },
      },
    },
    async ({ params: { id }, query: slice }, reply) => {
      const payout = await books.payout(id, slice);
      if (!payout) return reply.code(404).send({ error: `there is no payout ${id}` });
      return { ...showPayout(payout), ...slice, lines: [...payout.lines] };
    },
  );
}
