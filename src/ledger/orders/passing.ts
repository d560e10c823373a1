/**
 * Orders that act once and are over, at whichever bridge they are about: closing a session, telling rigs something, taking back what a bridge
 * itself has banned. The bridge that is asked passes
 * them on by a notice, and each one that is meant carries them out and answers by another. Nothing is kept: who does not answer in time
 * is named, and whether he has carried it out is not known.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../core/names/log.js';
import { unban } from '../../operations/bans.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { RigOrderHandlers } from '../../operations/orders/rig-orders.js';
import { CLOSE, closeSession, MESSAGE, message } from '../../operations/rigs.js';
import { rowOf, rowsOf, statementsOf } from '../database/statements.js';
import type { Ledger } from '../ledger.js';

const SQL = statementsOf('orders/orders.sql');

const ASK_CHANNEL = 'stratum_bridge_ask';
const ANSWER_CHANNEL = 'stratum_bridge_answer';
/** Who gives an order waits no longer for the others. */
const ANSWER_MS = 2_000;

const number = z.int().nonnegative();
const ASKED = z.object({
  id: z.uuid(),
  /** Numbers of the bridge that asks, and of the one that is meant; null: all. */
  from: number,
  to: number.nullable(),
  by: z.string(),
  order: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('close'), given: CLOSE.extend({ id: z.int() }) }),
    z.object({ kind: z.literal('message'), given: MESSAGE }),
    z.object({ kind: z.literal('unban'), given: z.object({ id: z.string() }) }),
  ]),
});
type Order = z.output<typeof ASKED>['order'];

const REFUSED = z.object({
  refused: z.enum(['unfit', 'forbidden', 'unknown', 'full', 'busy']),
  why: z.string(),
});
const ANSWER = z.object({ id: z.uuid(), from: number, said: z.unknown() });

type Passed = Pick<RigOrderHandlers, 'closeSession' | 'message' | 'unban'>;

interface PassingOptions {
  readonly ledger: Pick<Ledger, 'pool' | 'notices'>;
  /** Of this bridge on the ledger, once it has one. */
  readonly number: () => number | undefined;
  /** At which a ban holds, where it is another one's. */
  readonly bridgeOf: (banId: string) => number | undefined;
  readonly log: Log;
}

interface Answers<Said> {
  readonly said: readonly (Said | Refused)[];
  /** Numbers of bridges. */
  readonly silent: readonly number[];
}

/** The rigs' side of this bridge, and of all others by it. */
export class OrderPassing implements Passed {
  readonly #options: PassingOptions;
  readonly #side: Passed;
  /** By the id of what was asked. */
  readonly #heard = new Map<string, (from: number, said: unknown) => void>();

  constructor(options: PassingOptions, side: Passed) {
    this.#options = options;
    this.#side = side;
    const { notices } = options.ledger;
    // What was asked while nobody listened is over.
    const onConnected = (): void => {};
    notices.on(ASK_CHANNEL, { onNotice: (text) => void this.#carryOut(text), onConnected });
    notices.on(ANSWER_CHANNEL, { onNotice: (text) => this.#answered(text), onConnected });
  }

  async closeSession(...[given, by]: Parameters<Passed['closeSession']>) {
    const { bridge } = given;
    if (this.#isHere(bridge)) return this.#side.closeSession(given, by);
    return answerOf(bridge, await this.#pass(bridge, { kind: 'close', given }, by, closeSession.output));
  }

  async message(...[given, by]: Parameters<Passed['message']>) {
    const pass = (to: number | null) => this.#pass(to, { kind: 'message', given }, by, message.output);
    if (given.to === 'session') {
      const { bridge } = given;
      return this.#isHere(bridge) ? this.#side.message(given, by) : answerOf(bridge, await pass(bridge));
    }
    const [own, { said, silent }] = await Promise.all([this.#side.message(given, by), pass(null)]);
    const counts = [own, ...said].filter((each) => 'told' in each);
    const sumOf = (key: 'told' | 'sessions'): number => counts.reduce((sum, each) => sum + each[key], 0);
    return { told: sumOf('told'), sessions: sumOf('sessions'), silent: [...silent] };
  }

  async unban(...[given, by]: Parameters<Passed['unban']>) {
    const bridge = this.#options.bridgeOf(given.id);
    if (this.#isHere(bridge)) return this.#side.unban(given, by);
    return answerOf(bridge, await this.#pass(bridge, { kind: 'unban', given }, by, unban.output));
  }

  #isHere(bridge: number | null | undefined): bridge is null | undefined {
    return bridge === null || bridge === undefined || bridge === this.#options.number();
  }

  /** @param to number of a bridge; null: all others. */
  async #pass<Output extends z.ZodType>(
    to: number | null,
    order: Order,
    by: string,
    output: Output,
  ): Promise<Answers<z.output<Output>>> {
    const { ledger, number, log } = this.#options;
    const from = number();
    try {
      const alive = (await rowsOf(ledger.pool, SQL.alive, [from])).map((bridge) => bridge.number);
      const meant = to === null ? alive : alive.filter((one) => one === to);
      if (meant.length === 0) return { said: [], silent: [] };
      const id = randomUUID();
      const answers = this.#answersTo(id, meant);
      await this.#tell(ASK_CHANNEL, { id, from, to, by, order });
      const heard = await answers;
      const said = [...heard.values()].flatMap(
        (each) => z.union([REFUSED, output]).safeParse(each).data ?? [],
      );
      return { said, silent: meant.filter((one) => !heard.has(one)) };
    } catch (error) {
      const words = 'an order is not passed on to other bridges';
      log.warn({ error: (error as Error).message, order: order.kind }, words);
      return { said: [], silent: [] };
    }
  }

  /** Those that have come once all have, or the time is over. */
  async #answersTo(id: string, meant: readonly number[]): Promise<ReadonlyMap<number, unknown>> {
    const said = new Map<number, unknown>();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ANSWER_MS);
      this.#heard.set(id, (from, answer) => {
        said.set(from, answer);
        if (meant.every((one) => said.has(one))) resolve();
      });
    });
    clearTimeout(timer);
    this.#heard.delete(id);
    return said;
  }

  async #carryOut(text: string): Promise<void> {
    const asked = readAs(ASKED, text);
    const own = this.#options.number();
    if (!asked || own === undefined || asked.from === own || (asked.to !== null && asked.to !== own)) return;
    const { id, order, by } = asked;
    try {
      const said = await this.#obey(order, by);
      await this.#tell(ANSWER_CHANNEL, { id, from: own, said });
    } catch (error) {
      const why = { error: (error as Error).message, order: order.kind };
      this.#options.log.warn(why, 'who passed an order on has no answer');
    }
  }

  async #obey(order: Order, by: string): Promise<unknown> {
    switch (order.kind) {
      case 'close':
        return this.#side.closeSession(order.given, by);
      case 'message':
        return this.#side.message(order.given, by);
      case 'unban':
        return this.#side.unban(order.given, by);
    }
  }

  #answered(text: string): void {
    const answer = readAs(ANSWER, text);
    if (answer) this.#heard.get(answer.id)?.(answer.from, answer.said);
  }

  async #tell(channel: string, what: object): Promise<void> {
    await rowOf(this.#options.ledger.pool, SQL.tell, [channel, JSON.stringify(what)]);
  }
}

/** `undefined` for what a bridge of another version says. */
function readAs<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON
  }
}

/** Of the one bridge that was meant. */
function answerOf<Said>(bridge: number, { said: [answer], silent }: Answers<Said>): Said | Refused {
  if (answer) return answer;
  if (silent.length === 0) return { refused: 'unknown', why: `no bridge ${bridge} can be asked` };
  const why = `bridge ${bridge} did not answer: whether it has carried this out is not known`;
  return { refused: 'busy', why };
}
