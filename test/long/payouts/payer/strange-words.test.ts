/** Words of nodes and signers, whatever is in them: the books take them, a terminal does not obey them, and nothing else stops for them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listHolds } from '../../../../src/ledger/transactions/orders.js';
import { readQuicksignAnswer } from '../../../../src/payouts/signer/quicksign.js';
import { useBooks } from '../../../helpers/books/books.js';
import { accountOf, earn, expectPaidOnChain, PayerStory } from '../../../helpers/payouts/story.js';
import { World } from '../../../helpers/payouts/world.js';
import { runHere } from '../../../helpers/processes/command.js';

const books = useBooks();
let world: World;
let payer: PayerStory;

beforeEach(async () => {
  await books.empty();
  world = await World.start();
  await world.mine(5);
  payer = await PayerStory.start(world, books);
});
afterEach(async () => {
  await payer.close();
  await world[Symbol.asyncDispose]();
});

/** PostgreSQL takes neither the first nor the last in a text; a terminal obeys what is between. */
const STRANGE = '\0\u001b]0;paid\u0007no\ud800';
const FIT = '\ufffd\ufffd]0;paid\ufffdno\ufffd';

const status = async (columns?: number) =>
  (
    await runHere(
      'ledger',
      ['payout', 'status', '--lines', '--ledger-database-url', books.connectionString],
      {},
      columns === undefined ? undefined : { columns },
    )
  ).text;

/** What a node says to a dry run. */
function dryRunSays(result: object): void {
  world.a.liar.lie({
    local: (path, answer) => {
      if (!path.includes('preflight=true')) return answer;
      const { preflightResult, ...rest } = JSON.parse(answer);
      return JSON.stringify({ ...rest, preflightResult: { ...preflightResult, result } });
    },
  });
}

const failure = (message: string): object => ({
  status: 'failure',
  error: { type: 'TxFailure', message, info: '', callStack: [] },
});

describe('a node that says strange things', () => {
  it('of a line holds that line, in words that fit', async () => {
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    dryRunSays(failure(STRANGE));
    await payer.round();
    expect((await listHolds(books.pool, 9)).map(({ account, note }) => [account, note])).toEqual([
      [accountOf(1), FIT],
    ]);
    expect(await payer.states()).toEqual(['dropped']);
  });

  it('of most lines pauses, and nobody who looks is told more than words', async () => {
    await earn(books, { 1: '5', 2: '5', 3: '5' });
    await payer.round();
    await payer.prepare();
    dryRunSays(failure(STRANGE));
    await payer.round();
    expect((await payer.seat.state()).pause).toMatchObject({ kind: 'preflight', evidence: { why: FIT } });
    for (const text of [await status(), await status(100)]) {
      expect(text).toContain(FIT);
      expect(text).not.toMatch(/\p{Cc}(?<!\n)/u);
    }
  });

  it('of the guard pauses', async () => {
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    world.a.liar.lie({
      local: (_, answer) => answer.replace(/"keys":\[/, `"keys":[${JSON.stringify(STRANGE)},`),
    });
    await payer.round();
    expect(await payer.pause()).toBe('guard-changed');
  });

  it('to what it was sent stops nothing', async () => {
    await earn(books, { 1: '5' });
    await payer.round();
    await payer.prepare();
    world.a.liar.lie({ send: { status: 400, text: `${STRANGE} below minimum gas price (9${STRANGE})` } });
    await payer.round();
    world.a.liar.beHonest();
    await payer.blocks(8);
    expect(await payer.states()).toEqual(['final']);
    await expectPaidOnChain(world, books, [1]);
  });
});

it('a signer that says strange things is told of in words that fit', () => {
  const data = { cmd: 'x', sigs: [] };
  const response = { commandSigData: data, outcome: { result: 'failure', msg: STRANGE } };
  expect(readQuicksignAnswer(JSON.stringify({ responses: [response] }))).toEqual({
    is: 'responses',
    responses: [{ commandSigData: data, outcome: { result: 'failure', msg: FIT } }],
  });
  expect(readQuicksignAnswer(JSON.stringify({ error: { type: 'other', msg: STRANGE } }))).toMatchObject({
    msg: FIT,
  });
});
