/** Notices on real books to real receivers: who waits for whom, and what is told twice. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Courier } from '../../src/alerts/courier.js';
import { Deliverer } from '../../src/alerts/deliverer.js';
import type { AlertTarget } from '../../src/alerts/targets.js';
import type { AlertBook } from '../../src/bridge/alerts.js';
import { SILENT } from '../../src/core/names/log.js';
import { alertBook } from '../../src/ledger/alerts/alert-book.js';
import { finding, look, OPS } from '../helpers/alerts/alert-looks.js';
import { AlertReceiver } from '../helpers/alerts/alert-receiver.js';
import { useBooks } from '../helpers/books/books.js';
import { until } from '../helpers/until.js';

const books = useBooks();
beforeEach(() => books.empty());

const SECRET = 'a-secret-of-sixteen-or-more';
const targetAt = (url: string, name: string): AlertTarget => ({
  ...{ name, type: 'webhook', leastSeverity: 'info', url, secret: SECRET },
});

async function receiver(secret = SECRET): Promise<AlertReceiver> {
  const opened = await AlertReceiver.open(secret);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

function startDeliverer(
  { targets }: { targets: readonly AlertTarget[] },
  book: AlertBook = alertBook(books.pool),
): Deliverer {
  // Who never answers is waited for until the end of the test.
  const courier = new Courier({ timeoutMs: 600_000 });
  const made = new Deliverer({
    ...{ book, courier, targets: () => targets, log: SILENT, nowMs: Date.now, intervalMs: 20 },
  });
  onTestFinished(async () => {
    await made.close(0);
    await courier.close();
  });
  made.start();
  return made;
}

/** Opens an alert about each. */
async function openAlerts(abouts: readonly string[], more: Parameters<typeof look>[0] = {}): Promise<void> {
  const targets = [OPS, { ...OPS, name: 'other' }];
  await alertBook(books.pool).look(
    look({ bridge: randomUUID(), targets, findings: abouts.map((about) => finding(about)), ...more }),
  );
}

const counted = async () => {
  const { rows } = await books.pool.query(
    'SELECT name, delivered::int, failed::int FROM alert_target ORDER BY name',
  );
  return rows;
};

describe('a target that never answers', () => {
  it('keeps no other target waiting, and is told one thing at a time', async () => {
    const [ops, other] = [await receiver(), await receiver()];
    other.answer = () => {};
    const abouts = Array.from({ length: 15 }, (_, i) => `n${i}`);
    await openAlerts(abouts);
    startDeliverer({ targets: [targetAt(ops.url, 'ops'), targetAt(other.url, 'other')] });
    await until('all is told to the one that answers', () => ops.received.length >= abouts.length);
    await until('the other one is asked', () => other.received.length > 0);
    expect(ops.words().sort()).toEqual(abouts.map((about) => `opened nodeUnhealthy ${about}`).sort());
    expect(other.received.length).toBe(1);
  });
});

describe('a notice', () => {
  it('that was taken while the ledger was away is written down later, and not sent again', async () => {
    const ops = await receiver();
    const book = alertBook(books.pool);
    let refusals = 0;
    /** The real book, which the ledger keeps from taking down the first words. */
    const unsteady: AlertBook = {
      ...book,
      settle: async (...ended) => {
        if (refusals++ < 3) throw new Error('the ledger is away');
        return book.settle(...ended);
      },
    };
    await openAlerts(['n1'], { targets: [OPS] });
    startDeliverer({ targets: [targetAt(ops.url, 'ops')] }, unsteady);
    await until('it is written down', async () => (await counted())[0]?.delivered === 1);
    await books.pool.query("UPDATE alert_delivery SET leased_until = now() - interval '1 second'");
    await openAlerts(['n2'], { targets: [OPS] });
    await until('the next one is told', () => ops.received.length >= 2);
    expect(ops.words()).toEqual(['opened nodeUnhealthy n1', 'opened nodeUnhealthy n2']);
  });

  it('that is on its way to who never answers is left for the next start, and a stop does not wait', async () => {
    const ops = await receiver();
    ops.answer = () => {};
    await openAlerts(['n1'], { targets: [OPS] });
    const first = startDeliverer({ targets: [targetAt(ops.url, 'ops')] });
    await until('it is under way', () => ops.received.length === 1);
    await first.close(100);
    ops.answer = (response) => response.writeHead(204).end();
    startDeliverer({ targets: [targetAt(ops.url, 'ops')] });
    await until('it is told', async () => (await counted())[0]?.delivered === 1);
    const [id, again] = ops.received.map(({ told }) => told.id);
    expect([ops.received.length, again]).toEqual([2, id]);
  });
});
