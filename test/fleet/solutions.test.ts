import { describe, expect, it } from 'vitest';
import { createBridgeEvents } from '../../src/bridge/events.js';
import type { PlainAnswer, PlainSolution } from '../../src/bridge/fleet/ports.js';
import type { SolutionAnswer } from '../../src/bridge/ports.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { hashSubmit, type Solution } from '../../src/core/shares/share.js';
import { SolutionsOut } from '../../src/fleet/front/solutions-out.js';
import { FrontPosts } from '../../src/fleet/hub/front-posts.js';
import { SolutionDesk } from '../../src/fleet/hub/solution-desk.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';

const ACCOUNT = { account: 'alice', rig: 'attic' };

/** Of a later creation time of its work. */
function solution(searched = 5n): Solution {
  const book = new JobBook(7, undefined, 16);
  const job = book.addVariant(book.add(makeWork({}), 'node'), 1, 1_700_000_009_000_000n, false);
  const { nonce, header, powHash } = hashSubmit(job, searched);
  return { ...ACCOUNT, job, nonce, header, powHash, foundAtMs: 1000 };
}

/** A front without a connection of its own. */
const sink = {
  has: () => false,
  postSolution: () => Promise.reject(new Error('it has no connection')),
};

const keep = (): Promise<void> => Promise.resolve();

/** A desk over a channel that copies. */
function deskOf(take: (solution: PlainSolution) => Promise<void>) {
  return { takeSolution: (plain: PlainSolution) => take(structuredClone(plain)), answered: () => undefined };
}

describe('a solution of a front', () => {
  it('is at the hub what it was at the front, and is sent once however often it is told', async () => {
    const events = createBridgeEvents();
    const sent: Solution[] = [];
    const desk = new SolutionDesk({ send: (each) => void sent.push(each), events, posts: new FrontPosts() });
    const told: Promise<void>[] = [];
    const twice = deskOf((plain) => {
      told.push(desk.take(plain), desk.take(structuredClone(plain)));
      return Promise.all(told).then(() => undefined);
    });
    const out = new SolutionsOut({ desk: twice, sink, untilReachedMs: () => 0, keep, log: SILENT });
    const found = solution();
    out.send(found);
    expect(sent).toHaveLength(1);
    const [there = expect.fail()] = sent;
    expect(there).toEqual(found);
    events.emit('solutionKept', there, 'found');
    await Promise.all(told);
    await out.close(1000);
    desk.close();
  });

  it('is told to nobody before its creation time has come, as its node would refuse it', async () => {
    let [now, taken] = [0, 0];
    const desk = deskOf(() => {
      expect(now).toBeGreaterThanOrEqual(9);
      taken++;
      return Promise.resolve();
    });
    const out = new SolutionsOut({ desk, sink, untilReachedMs: () => 9 - now++, keep, log: SILENT });
    out.send(solution());
    expect(taken).toBe(0);
    await until('it is taken', () => taken === 1);
    await out.close(0);
  });

  it('is written down before the hub has it, also for one that is killed, and no more once the hub does', async () => {
    let asked = 0;
    let isAway = true;
    const desk = deskOf(() => {
      asked++;
      return isAway ? Promise.reject(new Error('away')) : Promise.resolve();
    });
    const written: (readonly PlainSolution[])[] = [];
    const keep = async (all: readonly PlainSolution[]): Promise<void> => void written.push(all);
    const out = new SolutionsOut({ desk, sink, untilReachedMs: () => 0, keep, log: SILENT });
    out.send(solution());
    expect(written.map((all) => all.map(({ job }) => job.time))).toEqual([[1_700_000_009_000_977n]]);
    await until('it is told again', () => asked > 1);
    expect(written).toHaveLength(1);
    isAway = false;
    await until('nothing is left', () => written.at(-1)?.length === 0);
    await out.close(0);
  });

  describe('of a front with a connection to its node', () => {
    it('is posted from there, the first of a work, and the hub takes that answer for its own first post', async () => {
      const one = new OneFront({ outcome: 'refused', status: 404, text: 'no such work' });
      one.out.send(solution());
      one.out.send(solution(6n));
      expect(one.fromFront).toEqual([solution().header]);
      const [first = expect.fail(), second = expect.fail()] = one.sent;
      const answers = await Promise.all([one.post(first), one.post(second)]);
      expect(answers).toEqual([{ outcome: 'refused', status: 404, text: 'no such work' }, RECEIVED]);
      expect(one.fromHub).toEqual([second.header]);
      // Only the first post: what comes after that goes from the hub.
      expect(await one.post(first)).toEqual(RECEIVED);
      one.desk.close();
    });

    it('has its answer also when the hub asks later than the front was told', async () => {
      const one = new OneFront(RECEIVED);
      one.out.send(solution());
      await until('the hub is told', () => one.told > 0);
      expect(await one.post(one.sent[0] ?? expect.fail())).toEqual(RECEIVED);
      expect(one.fromHub).toEqual([]);
      one.desk.close();
    });

    it('has its answer at the hub that comes after the one that was gone when it came', async () => {
      const one = new OneFront(RECEIVED);
      one.isAway = true;
      one.out.send(solution());
      await until('the answer is said to nobody', () => one.told > 0);
      one.isAway = false;
      const found = await until('it is told again', () => one.sent[0]);
      expect(await one.post(found)).toEqual(RECEIVED);
      expect(one.fromHub).toEqual([]);
      one.desk.close();
    });

    it('goes from the hub when its front ends before it tells the answer', async () => {
      const one = new OneFront(undefined);
      one.out.send(solution());
      const [found = expect.fail()] = one.sent;
      const answer = one.post(found);
      one.desk.close();
      expect(await answer).toMatchObject({ outcome: 'unanswered', error: { message: 'the bridge stops' } });
      expect(await one.post(found)).toEqual(RECEIVED);
      expect(one.fromHub).toEqual([found.header]);
    });
  });
});

const RECEIVED = { outcome: 'received' } as const;

/** A front that posts to a node with this answer, or none, and its hub. */
class OneFront {
  readonly fromFront: Uint8Array[] = [];
  readonly fromHub: Uint8Array[] = [];
  readonly sent: Solution[] = [];
  told = 0;
  isAway = false;
  readonly #posts = new FrontPosts();
  readonly desk: SolutionDesk;
  readonly out: SolutionsOut;
  readonly post: (solution: Solution) => Promise<SolutionAnswer>;

  constructor(answer: SolutionAnswer | undefined) {
    const send = (each: Solution): void => void this.sent.push(each);
    this.desk = new SolutionDesk({ send, events: createBridgeEvents(), posts: this.#posts });
    this.out = new SolutionsOut({
      desk: {
        takeSolution: async (plain) => {
          if (this.isAway) throw new Error('the hub is away');
          await this.desk.take(structuredClone(plain));
        },
        answered: (powHash, given: PlainAnswer) => {
          this.told++;
          if (!this.isAway) this.desk.answered(powHash, given);
        },
      },
      sink: {
        has: () => true,
        postSolution: (_node, header) => {
          this.fromFront.push(header);
          return answer ? Promise.resolve(answer) : new Promise(() => undefined);
        },
      },
      ...{ untilReachedMs: () => 0, keep, log: SILENT },
    });
    const hub = this.#posts.before({
      postSolution: (_node, header) => {
        this.fromHub.push(header);
        return Promise.resolve(RECEIVED);
      },
    });
    this.post = ({ job, header }) => hub.postSolution(job.node, header);
  }
}
