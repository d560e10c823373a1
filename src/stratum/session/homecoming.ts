/**
 * A rig comes, and this server is one of several fronts: what it had elsewhere is asked for before it is answered. What it
 * sends meanwhile waits, in order.
 */
import { frontOfToken } from '../../bridge/fleet/state.js';
import type { Credentials, Login } from '../door/accounts.js';
import type { FleetTenures } from '../tenure/fleet-tenures.js';
import type { Holding } from '../tenure/holding.js';
import type { SubscribeRequest } from '../wire/messages.js';
import type { Logins } from './logins.js';
import type { SelfDescription } from './self-description.js';

/** The session that waits. */
export interface Homecomer {
  readonly addressKey: string;
  readonly isOver: boolean;
  failed(error: unknown): void;
  dismiss(why: string): void;
}

export interface HomecomingParts {
  readonly holding: Holding;
  readonly self: SelfDescription;
  readonly logins: Logins;
}

type Step = () => void;

/** Messages that wait. What a session may send at all is counted before. */
const MAX_STEPS = 500;

export class Homecoming {
  readonly #fleet: FleetTenures;
  readonly #parts: HomecomingParts;
  readonly #session: Homecomer;
  #isAsking = false;
  readonly #steps: Step[] = [];

  constructor(fleet: FleetTenures, parts: HomecomingParts, session: Homecomer) {
    this.#fleet = fleet;
    this.#parts = parts;
    this.#session = session;
  }

  /** What comes now has to wait. */
  get waits(): boolean {
    return this.#isAsking;
  }

  /** It is taken after what waits already. */
  later(step: Step): void {
    if (this.#steps.push(step) > MAX_STEPS) this.#session.dismiss('too many messages wait for an answer');
  }

  subscribes({ agent, resume }: SubscribeRequest, step: Step): void {
    const { holding, self, logins } = this.#parts;
    self.subscribed(agent);
    const named = self.resumed(resume) || undefined;
    // A nonce1 proves nothing without a login.
    const isWorthAsking = logins.any || frontOfToken(named ?? '') !== undefined;
    this.#ask(holding.lease || !isWorthAsking ? undefined : named, holding.lease ? [] : logins.all, step);
  }

  /** The login is good. */
  authorizes({ account, rig }: Credentials, step: Step): void {
    if (this.#isAsking) {
      this.later(() => this.authorizes({ account, rig, password: '' }, step));
      return;
    }
    const { holding, logins } = this.#parts;
    const isDecided = !holding.lease || holding.isFormer || logins.any;
    this.#ask(isDecided ? undefined : holding.claim, isDecided ? [] : [{ account, rig }], step);
  }

  #ask(named: string | undefined, logins: readonly Login[], step: Step): void {
    const { addressKey } = this.#session;
    const isNothing = named === undefined && logins.length === 0;
    const asked = isNothing ? undefined : this.#fleet.seek({ named, logins: plain(logins), addressKey });
    if (!asked) {
      step();
      return;
    }
    this.#isAsking = true;
    asked.then(() => this.#goOn(step)).catch((error) => this.#session.failed(error));
  }

  #goOn(step: Step): void {
    this.#isAsking = false;
    for (let next: Step | undefined = step; next; next = this.#steps.shift()) {
      if (this.#session.isOver) this.#steps.length = 0;
      else next();
      if (this.#isAsking) return;
    }
  }
}

function plain(logins: readonly Login[]): Login[] {
  return logins.map(({ account, rig }) => ({ account, rig }));
}
