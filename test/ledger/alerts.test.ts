/** Alerts on real books: told once by however many bridges, over restarts, races, outages and floods. */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { MOST_OF_A_CONDITION } from '../../src/alerts/decide.js';
import { EVENTS, judge } from '../../src/alerts/judge.js';
import { MANY, type News } from '../../src/bridge/alerts.js';
import { alertBook } from '../../src/ledger/alerts/alert-book.js';
import { pruneAlerts } from '../../src/ledger/alerts/alert-look.js';
import { inTransaction } from '../../src/ledger/database/transaction.js';
import { tellInBooks, timelineBook } from '../../src/ledger/timeline.js';
import { finding, look, SETTINGS, WELL } from '../helpers/alerts/alert-looks.js';
import { useBooks } from '../helpers/books/books.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const books = useBooks();
beforeEach(async () => {
  await books.empty();
  told.splice(0);
  await books.pool.query(
    "UPDATE alert_watch SET last_line = (SELECT coalesce(max(id), 0) FROM event), watching_since = now() - interval '1 day', watched_at = now()",
  );
});

const book = () => alertBook(books.pool);
const A = randomUUID();
const B = randomUUID();

const told: News[] = [];

async function lookAs(bridge: string, more: Parameters<typeof look>[0]): Promise<string[]> {
  const tell = async (news: readonly News[]): Promise<void> => void told.push(...news);
  const open = await book().look(look({ bridge, tell, ...more }));
  return open.map(({ condition, about }) => `${condition} ${about}`);
}

/** What bridges have found so far is as old as that. */
async function foundTwoMinutesAgo(): Promise<void> {
  await books.pool.query(
    `UPDATE alert SET found_by = (SELECT jsonb_object_agg(key, value::timestamptz - interval '2 minutes') FROM jsonb_each_text(found_by))`,
  );
}

/** Since it was asked last. */
function toldSince(): string[] {
  return told
    .splice(0)
    .map(({ what, alert }) => `${what} ${alert.about}`)
    .sort();
}

async function timeline(): Promise<string[]> {
  const lines = await timelineBook(books.pool).readLines({ limit: 1000 });
  return lines.map(({ kind, facts }) => `${kind} ${facts['about']}`).reverse();
}

describe('alerts of several bridges', () => {
  it('are opened, told and resolved once, however many look at the same time', async () => {
    const all = Array.from({ length: 8 }, () => randomUUID());
    await Promise.all(all.map((bridge) => lookAs(bridge, { findings: [finding('n1')] })));
    await Promise.all(all.map((bridge) => lookAs(bridge, { findings: [finding('n1')] })));
    expect(toldSince()).toEqual(['opened n1']);
    await Promise.all(
      all.map((bridge) => lookAs(bridge, { findings: [finding('n1', false, { isShared: true })] })),
    );
    expect(toldSince()).toEqual(['resolved n1']);
    expect(await timeline()).toEqual(['alertOpened n1', 'alertResolved n1']);
  });

  it('stay open while one of them finds it so, and are told by none that is new', async () => {
    await lookAs(A, { findings: [finding('n1')] });
    expect(await lookAs(B, { findings: [finding('n1', false)] })).toEqual(['nodeUnhealthy n1']);
    // A start that has not seen anything yet says nothing, and one that has says nothing new.
    const restarted = randomUUID();
    expect(await lookAs(restarted, {})).toEqual(['nodeUnhealthy n1']);
    await lookAs(restarted, { findings: [finding('n1')] });
    expect(toldSince()).toEqual(['opened n1']);
    await lookAs(restarted, { findings: [finding('n1', false)] });
    await foundTwoMinutesAgo();
    expect(await lookAs(B, { findings: [finding('n1', false)] })).toEqual([]);
    expect(toldSince()).toEqual(['resolved n1']);
  });

  it('are told again at an interval, by one of them', async () => {
    const repeat = { findings: [finding('n1')], repeatMs: 3_600_000 };
    await lookAs(A, repeat);
    toldSince();
    await lookAs(A, repeat);
    expect(toldSince()).toEqual([]);
    await books.pool.query("UPDATE alert SET told_at = now() - interval '2 hours'");
    await Promise.all([lookAs(A, repeat), lookAs(B, repeat)]);
    expect(toldSince()).toEqual(['repeated n1']);
  });

  it('are over when their condition is switched off, or nobody speaks of them for an hour', async () => {
    await lookAs(A, { findings: [finding('n1'), finding('queue', true, { condition: 'queueBehind' })] });
    expect(await lookAs(A, { off: ['queueBehind'] })).toEqual(['nodeUnhealthy n1']);
    await books.pool.query("UPDATE alert SET reported_at = now() - interval '2 hours'");
    await books.pool.query('UPDATE alert_watch SET watching_since = now()');
    expect(await lookAs(A, {}), 'nobody has looked for so long').toEqual(['nodeUnhealthy n1']);
    await books.pool.query("UPDATE alert_watch SET watching_since = now() - interval '2 hours'");
    expect(await lookAs(A, {})).toEqual([]);
  });

  it('are not over when one bridge has their condition switched off, and another finds it so', async () => {
    await lookAs(A, { findings: [finding('n1')] });
    expect(await lookAs(B, { off: ['nodeUnhealthy'] })).toEqual(['nodeUnhealthy n1']);
    await foundTwoMinutesAgo();
    expect(await lookAs(B, { off: ['nodeUnhealthy'] })).toEqual([]);
  });

  it('that were told while the ledger was away are kept, and told to nobody again', async () => {
    const away = { condition: 'ledgerAway', about: 'bridge 0', severity: 'critical', says: 'away' } as const;
    const later = (ms: number): string => new Date(Date.now() - 60_000 + ms).toISOString();
    const over = { ...away, id: 0, from: later(0), until: later(1000), resolvedSays: 'back' };
    const open = { ...over, about: 'bridge 1', until: null, resolvedSays: '' };
    expect(await lookAs(A, { toldAlready: [over, open] })).toEqual(['ledgerAway bridge 1']);
    expect(await lookAs(B, { toldAlready: [open] })).toEqual(['ledgerAway bridge 1']);
    // The first time was not heard of: they are brought again, one of them over by now.
    const ended = { ...open, until: later(5000), resolvedSays: 'back' };
    expect(await lookAs(A, { toldAlready: [over, ended] })).toEqual([]);
    expect(toldSince()).toEqual([]);
    expect(await timeline()).toEqual([
      'alertOpened bridge 0',
      'alertResolved bridge 0',
      'alertOpened bridge 1',
      'alertResolved bridge 1',
    ]);
  });
});

const rig = (name: string, account = 'alice') => ({ account, rig: name });
type Rigs = readonly ReturnType<typeof rig>[];

/** Of which the books have shares. */
async function sawMiners(rigs: Rigs): Promise<void> {
  await books.pool.query('SELECT know_rigs($1, $2)', [
    rigs.map(({ account }) => account),
    rigs.map((each) => each.rig),
  ]);
  await book().sawRigs(rigs);
}

/** As a bridge does that looks at rigs and nothing else. */
async function lookAtRigs(bridge: string, offlineMs = 600_000): Promise<string[]> {
  const { alerts } = await book().readAlerts({ state: 'open', limit: 1000 });
  const offline = alerts.map(({ about }) => about).filter((about) => about !== MANY);
  const rigs = await book().overdueRigs(offlineMs, offline);
  const found = judge({ ...WELL, rigs }, SETTINGS, () => false);
  return lookAs(bridge, { findings: found.filter(({ condition }) => condition === 'rigOffline') });
}

describe('rigs', () => {
  const ago = (minutes: number, which = 'true') =>
    books.pool.query(`UPDATE alert_rig SET seen_at = now() - $1 * interval '1 minute' WHERE ${which}`, [
      minutes,
    ]);

  it('are missed after their time at whatever bridge they were, and found again', async () => {
    await sawMiners([rig('one'), rig('two'), rig('')]);
    expect(await lookAtRigs(A)).toEqual([]);
    await ago(11, "rig = 'one'");
    await Promise.all([lookAtRigs(A), lookAtRigs(B)]);
    const [alert] = (await book().readAlerts({ state: 'open', limit: 10 })).alerts;
    expect(alert).toMatchObject({ condition: 'rigOffline', about: 'alice.one', severity: 'warning' });
    await sawMiners([rig('one')]);
    await lookAtRigs(B);
    expect(await lookAtRigs(A)).toEqual([]);
    expect(toldSince()).toEqual(['opened alice.one', 'resolved alice.one']);
  });

  it('are not told over and over by bridges that are set to miss them after different times', async () => {
    await sawMiners([rig('one')]);
    await ago(11);
    for (let n = 0; n < 3; n++) {
      expect(await lookAtRigs(A)).toEqual(['rigOffline alice.one']);
      expect(await lookAtRigs(B, 1_200_000)).toEqual(['rigOffline alice.one']);
    }
    expect(toldSince()).toEqual(['opened alice.one']);
  });

  it('are given three times their own longest absences, which fade', async () => {
    await sawMiners([rig('one'), rig('two')]);
    await ago(30);
    await sawMiners([rig('one'), rig('two')]);
    await ago(80, "rig = 'one'");
    await ago(100, "rig = 'two'");
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.two']);
    const usual = async () =>
      Number((await books.pool.query("SELECT usual_ms FROM alert_rig WHERE rig = 'one'")).rows[0].usual_ms);
    await ago(2, "rig = 'one'");
    const before = await usual();
    await sawMiners([rig('one')]);
    expect(await usual()).toBeLessThan(before);
  });

  it('are not missed for the time in which no bridge ran', async () => {
    await sawMiners([rig('one')]);
    await ago(60);
    await books.pool.query("UPDATE alert_watch SET watched_at = now() - interval '1 hour'");
    expect(await lookAtRigs(A)).toEqual([]);
    await sawMiners([rig('one')]);
    const usual = async () => (await books.pool.query('SELECT usual_ms FROM alert_rig')).rows;
    expect(await usual()).toEqual([{ usual_ms: '0' }]);
    await ago(60);
    await books.pool.query("UPDATE alert_watch SET watched_at = now() - interval '1 hour'");
    await sawMiners([rig('one')]);
    expect(await usual(), 'they were heard before anybody looked').toEqual([{ usual_ms: '0' }]);
  });

  it('are missed also after the clock of the database was set back', async () => {
    await sawMiners([rig('one')]);
    await books.pool.query("UPDATE alert_watch SET watching_since = now() + interval '1 day'");
    await lookAtRigs(A);
    await ago(11);
    await books.pool.query("UPDATE alert_watch SET watching_since = watching_since - interval '11 minutes'");
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.one']);
  });

  it('without a share leave nothing behind, whatever they are called', async () => {
    await book().sawRigs([rig('never'), rig('never', 'k:nobody')]);
    expect((await books.pool.query('SELECT FROM alert_rig')).rows).toEqual([]);
  });

  it('that go in thousands are one notice', async () => {
    await sawMiners(Array.from({ length: 10_000 }, (_, i) => rig(`r${i}`)));
    await ago(11);
    expect(await lookAtRigs(A)).toEqual([`rigOffline ${MANY}`]);
    await ago(0, "rig <> 'r7'");
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.r7']);
    await ago(0);
    expect(await lookAtRigs(A)).toEqual([]);
    expect(toldSince()).toEqual([
      'opened alice.r7',
      `opened ${MANY}`,
      'resolved alice.r7',
      `resolved ${MANY}`,
    ]);
  });

  it('that never come back do not hide which goes next', async () => {
    const gone = Array.from({ length: MOST_OF_A_CONDITION + 1 }, (_, i) => rig(`r${i}`));
    await sawMiners([...gone, rig('next')]);
    await ago(11, "rig <> 'next'");
    expect(await lookAtRigs(A)).toEqual([`rigOffline ${MANY}`]);
    await books.pool.query("UPDATE alert SET opened_at = now() - interval '1 hour'");
    await ago(71, "rig <> 'next'");
    await ago(11, "rig = 'next'");
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.next', `rigOffline ${MANY}`]);
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.next', `rigOffline ${MANY}`]);
    expect(toldSince()).toEqual(['opened alice.next', `opened ${MANY}`]);
  });

  it('that are away for a week have left', async () => {
    await sawMiners([rig('one')]);
    await ago(11);
    expect(await lookAtRigs(A)).toEqual(['rigOffline alice.one']);
    await ago(11_000);
    expect(await lookAtRigs(A)).toEqual([]);
    expect(told.map(({ alert }) => alert.resolvedSays)).toEqual([
      '',
      'rig alice.one was not heard for a week: it has left',
    ]);
  });
});

describe('what only happens', () => {
  const block = (height: number) => ({
    ...{ chainId: 3, height, hash: 'ab', node: 'http://n', account: 'alice', rig: 'one' },
  });
  const confirmed = (height: number) =>
    inTransaction(books.pool, (client) =>
      tellInBooks(client, 'blockConfirmed', {
        ...block(height),
        reward: '2',
      }),
    );
  const events = { events: EVENTS };

  it('is told once, and is over as it comes', async () => {
    await confirmed(100);
    await Promise.all([lookAs(A, events), lookAs(B, events)]);
    await lookAs(randomUUID(), events);
    expect(toldSince()).toEqual(['happened chain 3 height 100']);
    const { alerts, open } = await book().readAlerts({ state: 'all', limit: 10 });
    expect([open, alerts[0]?.until]).toEqual([0, alerts[0]?.from]);
  });

  it('that nobody wants to hear of, or is of long ago, is passed over', async () => {
    await confirmed(100);
    await lookAs(A, { events: [] });
    await lookAs(A, events);
    await confirmed(101);
    await books.pool.query("UPDATE event SET happened_at = now() - interval '2 days'");
    await lookAs(A, events);
    expect(toldSince()).toEqual([]);
  });

  it('in a flood waits, and is told as one', async () => {
    for (let height = 0; height < MOST_OF_A_CONDITION; height++) await confirmed(height);
    await lookAs(A, events);
    expect(toldSince().length).toBe(MOST_OF_A_CONDITION);
    for (let height = 100; height < 140; height++) await confirmed(height);
    await lookAs(A, events);
    expect(toldSince()).toEqual([]);
    await books.pool.query("UPDATE alert SET opened_at = now() - interval '11 minutes'");
    await lookAs(A, events);
    expect(toldSince()).toEqual([`happened ${MANY}`]);
    const { alerts } = await book().readAlerts({ state: 'all', limit: 1 });
    expect(alerts[0]?.says).toBe('40 blocks were confirmed');
  });
});

it('blocks that nobody has claimed are counted, with the age of the oldest', async () => {
  expect(await book().unclaimed()).toEqual({ blocks: 0, oldestMs: 0 });
  for (const height of [1, 2, 3])
    await recordSolution(books.ledger, makeSolution({ foundAtMs: Date.now() }, { height }), 'received', '');
  await books.pool.query(
    "UPDATE block SET state = 'unclaimed', changed_at = now() - interval '2 hours' * (height - 1) WHERE height > 1",
  );
  const { blocks, oldestMs } = await book().unclaimed();
  expect([blocks, Math.round(oldestMs / 3_600_000)]).toEqual([2, 4]);
  await books.pool.query("UPDATE block SET state = 'disowned' WHERE state = 'unclaimed'");
  expect(await book().unclaimed()).toEqual({ blocks: 0, oldestMs: 0 });
});

describe('what targets are to hear', () => {
  it('is handed over before it is kept, so that a ledger that fails then tells it again', async () => {
    const findings = [finding('n1')];
    const tell = async (): Promise<void> => {
      throw new Error('no answer');
    };
    await expect(lookAs(A, { findings, tell })).rejects.toThrow('no answer');
    expect(await lookAs(A, { findings })).toEqual(['nodeUnhealthy n1']);
    expect(toldSince()).toEqual(['opened n1']);
  });
});

describe('who looks', () => {
  it('gets open ones first, pages of the others, and those of a span of time', async () => {
    for (const about of ['n1', 'n2', 'n3', 'n4'])
      for (const isBad of [true, false]) await lookAs(A, { findings: [finding(about, isBad)] });
    await lookAs(A, { findings: [finding('n5')] });
    const page = await book().readAlerts({ state: 'all', limit: 3 });
    expect(page.alerts.map(({ about }) => about)).toEqual(['n5', 'n4', 'n3']);
    const rest = await book().readAlerts({ state: 'all', limit: 3, before: page.next ?? expect.fail() });
    expect([rest.alerts.map(({ about }) => about), rest.next]).toEqual([['n2', 'n1'], null]);
    await books.pool.query(
      "UPDATE alert SET resolved_at = now() - interval '1 hour' WHERE about IN ('n1', 'n2')",
    );
    const since = new Date(Date.now() - 1_800_000).toISOString();
    const lately = await book().readAlerts({ state: 'all', limit: 100, since });
    expect(lately.alerts.map(({ about }) => about)).toEqual(['n5', 'n4', 'n3']);
    const none = await book().readAlerts({ state: 'all', limit: 100, condition: ['diskLow'] });
    expect([none.alerts, none.open]).toEqual([[], 1]);
    await pruneAlerts(books.pool, 1);
    const kept = await book().readAlerts({ state: 'all', limit: 100 });
    expect(kept.alerts.map(({ about }) => about)).toEqual(['n5', 'n4']);
  });
});
