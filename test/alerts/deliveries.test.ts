/** Notices through real queues to real receivers: who waits for whom, what is told twice, and what is known of it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Deliveries } from '../../src/alerts/deliveries.js';
import { openPost } from '../../src/alerts/post.js';
import type { AlertTarget } from '../../src/alerts/targets.js';
import type { News } from '../../src/bridge/alerts.js';
import { SILENT } from '../../src/core/names/log.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { AlertReceiver } from '../helpers/alerts/alert-receiver.js';
import { useBooks } from '../helpers/books/books.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/books/redis.js';
import { freePort } from '../helpers/processes/ports.js';
import { until } from '../helpers/until.js';

const SECRET = 'a-secret-of-sixteen-or-more';
const redisIsMissing = (await findRedis()) !== undefined;
const books = useBooks();
let redis: TestRedis | undefined;

beforeAll(async () => {
  if (!redisIsMissing) redis = await startTestRedis();
});
afterAll(() => redis?.close());

async function receiver(): Promise<AlertReceiver> {
  const opened = await AlertReceiver.open(SECRET);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** Of a name of its own: queues outlive a test. */
function targetAt({ url }: AlertReceiver, more: Partial<AlertTarget> = {}): AlertTarget {
  const name = `t-${randomUUID()}`;
  return { ...{ name, type: 'webhook', leastSeverity: 'info', url, secret: SECRET }, ...more } as AlertTarget;
}

function bridge(connection: QueueConnection, targets: readonly AlertTarget[]): Deliveries {
  // Who never answers is waited for until the end of the test.
  const { post, close } = openPost({ timeoutMs: 600_000 });
  const made = new Deliveries({ connection, post, log: SILENT });
  onTestFinished(async () => {
    await made.close(500);
    await close();
  });
  made.follow(targets);
  return made;
}

function news(about: string, what: News['what'] = 'opened', more: Partial<News['alert']> = {}): News {
  const times = { from: '2026-11-22T15:26:37.123Z', until: null };
  const alert = {
    id: 7,
    condition: 'nodeUnhealthy',
    about,
    severity: 'warning',
    says: `${about} is away`,
  } as const;
  return { what, alert: { ...alert, ...times, resolvedSays: '', ...more } };
}

const named = (count: number): News[] => Array.from({ length: count }, (_, i) => news(`n${i}`));

describe.each<[string, boolean, () => QueueConnection]>([
  ['PostgreSQL', false, () => ({ backend: 'postgres', connectionString: books.connectionString })],
  ['Redis', redisIsMissing, () => ({ backend: 'redis', url: redis?.url ?? '' })],
])('notices on %s', (_, isMissing, connection) => {
  it.skipIf(isMissing)('go to the targets that want them, each once, whichever bridge sends it', async () => {
    const [ops, loud, queue] = [await receiver(), await receiver(), await receiver()];
    const targets = [
      targetAt(ops),
      targetAt(loud, { leastSeverity: 'critical' }),
      targetAt(queue, { conditions: ['queueBehind'] }),
    ];
    const [first] = Array.from({ length: 3 }, () => bridge(connection(), targets));
    await first?.tell([...named(10), news('b', 'opened', { condition: 'diskLow', severity: 'critical' })]);
    await until('all is told', async () => (await first?.reports())?.every(({ waiting }) => waiting === 0));
    const all = [...named(10).map(({ alert }) => `opened nodeUnhealthy ${alert.about}`), 'opened diskLow b'];
    expect([ops.words(), loud.words(), queue.words()]).toEqual([all, ['opened diskLow b'], []]);
    expect(ops.received.every(({ isSigned }) => isSigned)).toBe(true);
    expect(await first?.reports()).toMatchObject([
      { delivered: 11, failed: 0, lastDeliveredAt: expect.any(String), lastFailure: null },
      { delivered: 1, failed: 0 },
      { delivered: 0, failed: 0, lastDeliveredAt: null },
    ]);
  });

  it.skipIf(isMissing)(
    'of a target that never answers keep no other waiting, and are told one at a time',
    async () => {
      const [ops, silent] = [await receiver(), await receiver()];
      silent.answer = () => {};
      const targets = [targetAt(ops), targetAt(silent)];
      const [first] = [bridge(connection(), targets), bridge(connection(), targets)];
      await first.tell(named(15));
      await until('all is told to the one that answers', () => ops.received.length >= 15);
      await until('the other one is asked', () => silent.received.length > 0);
      expect([ops.received.length, silent.received.length]).toEqual([15, 1]);
    },
  );

  it.skipIf(isMissing)(
    'reach a target in their order, also when the first is tried again, and say why it was',
    async () => {
      const ops = await receiver();
      let refusals = 0;
      ops.answer = (response) => response.writeHead(refusals++ === 0 ? 503 : 204).end('come again');
      const target = targetAt(ops);
      const [one] = [bridge(connection(), [target]), bridge(connection(), [target])];
      await one.tell([news('n1')]);
      await until('it was refused', () => refusals > 0);
      await one.tell([news('n1', 'resolved'), news('n2')]);
      await until('all is told', () => ops.received.length >= 4);
      const ofOne = ops.received.filter(({ told }) => told.alert?.about === 'n1');
      expect(ofOne.map(({ told }) => told.what)).toEqual(['opened', 'opened', 'resolved']);
      expect(ofOne[1]?.told.id).toBe(ofOne[0]?.told.id);
      const shown = await until('it is counted', async () => {
        const [report] = await one.reports();
        return report?.delivered === 3 && report;
      });
      expect(shown).toMatchObject({ waiting: 0, failed: 0 });
    },
  );

  it.skipIf(isMissing)('that a target refuses for ever are given up, and it is said why', async () => {
    const ops = await receiver();
    ops.answer = (response) => response.writeHead(404).end('no such hook');
    const one = bridge(connection(), [targetAt(ops)]);
    await one.tell([news('n1')]);
    const failed = await until('it is given up', async () => {
      const [report] = await one.reports();
      // Counts and what waits are two questions: it may have failed between them.
      return report?.failed === 1 && report.waiting === 0 && report;
    });
    expect(failed).toMatchObject({ lastFailure: { says: 'answered 404: no such hook' } });
    expect([ops.received.length, one.tries]).toEqual([1, { delivered: 0, retried: 0, failed: 1 }]);
  });

  it.skipIf(isMissing)('on their way when a bridge stops are left for the next start', async () => {
    const ops = await receiver();
    ops.answer = () => {};
    const target = targetAt(ops);
    const first = bridge(connection(), [target]);
    await first.tell([news('n1')]);
    await until('it is under way', () => ops.received.length === 1);
    await first.close(1_000);
    ops.answer = (response) => response.writeHead(204).end();
    const second = bridge(connection(), [target]);
    await until('it is told', async () => (await second.reports())[0]?.delivered === 1);
    const [id, again] = ops.received.map(({ told }) => told.id);
    expect([ops.received.length, again]).toEqual([2, id]);
  });

  it.skipIf(isMissing)('wait in bounded number', async () => {
    const ops = await receiver();
    ops.answer = () => {};
    const one = bridge(connection(), [targetAt(ops)]);
    await one.tell(named(600));
    expect(one.tries.failed).toBe(100);
    expect((await one.reports())[0]?.waiting).toBe(500);
  });
});

describe('while the queue is away', () => {
  it('a bridge sends its notices itself', async () => {
    const ops = await receiver();
    const url = `redis://127.0.0.1:${await freePort()}`;
    const one = bridge({ backend: 'redis', url }, [targetAt(ops)]);
    await one.tell([news('n1')]);
    await until('it is told', () => ops.received.length === 1);
    expect(ops.words()).toEqual(['opened nodeUnhealthy n1']);
    await expect(one.reports()).rejects.toThrow();
  });
});
