/** What a rig sends, message by message: the way from its connection to who answers. */
import { NOBODY } from '../../core/names/names.js';
import { difficultyOf } from '../../core/work/target.js';
import { ERROR_CODES } from '../../wire/errors.js';
import { type JsonValue, type RequestId, requestIdOf } from '../../wire/json.js';
import { parseRigMessage } from '../../wire/message-parser.js';
import type { ConfigureRequest, Malformed, Response, RigMessage } from '../../wire/messages.js';
import { banWords } from '../admission/bans.js';
import { SlidingCount } from '../admission/budgets.js';
import type { ConnectionEvents } from '../admission/connection.js';
import { authorize, TOO_MANY_WISHES } from './authorize.js';
import type { Session } from './session.js';
import { refuseMalformed, submit } from './submits.js';
import { enter, subscribe } from './subscribe.js';

const EXTRANONCE_EXTENSION = 'subscribe-extranonce';
const VERSION_ID = requestIdOf('version');
const DIFFICULTY_IS_SET = 'the share difficulty is fixed here, or said in the password';

export class Protocol implements ConnectionEvents {
  readonly #session: Session;
  readonly #invalid: SlidingCount;

  constructor(session: Session) {
    const { invalidMessages, invalidWindowMs } = session.shared.rules.limits;
    this.#session = session;
    this.#invalid = new SlidingCount(invalidMessages, invalidWindowMs);
  }

  received(bytes: number, frames: number, open: number | undefined): void {
    this.#session.received(bytes, frames, open);
  }

  /** One message from the rig. Never throws. */
  line(text: string): void {
    const session = this.#session;
    if (!session.isOpen) return;
    const isInTime = session.usage.message(session.shared.clock.nowMs());
    try {
      const message = parseRigMessage(text);
      if (session.ban) turnAway(session, message, banWords(session.ban));
      else this.#take(message, !isInTime);
    } catch (error) {
      session.failed(error);
    }
  }

  warnRig(text: string): boolean {
    return this.#session.warnRig(text);
  }

  fault(reason: string): void {
    this.#session.garbled(reason);
  }

  closed(why?: string): void {
    this.#session.end(why === undefined ? 'the rig left' : `the connection broke: ${why}`);
  }

  /** @param tooFast the rig is past its rate. */
  #take(message: RigMessage, tooFast: boolean): void {
    const session = this.#session;
    switch (message.kind) {
      case 'submit':
        submit(session, message, tooFast);
        break;
      case 'subscribe':
        subscribe(session, message);
        break;
      case 'authorize':
        authorize(session, message);
        break;
      case 'malformed':
        this.#malformed(message);
        break;
      case 'response':
        answered(session, message);
        break;
      case 'ping':
        session.answer(message.id, 'pong');
        break;
      case 'extranonceSubscribe':
        session.answer(message.id, true);
        showsModern(session, true);
        break;
      case 'configure':
        configure(session, message);
        break;
      case 'suggestDifficulty':
        suggest(session, message.id, message.difficulty);
        break;
      case 'suggestTarget':
        suggest(session, message.id, Number(difficultyOf(message.target)));
        break;
      case 'unknown':
        session.refuse(message.id, null, ERROR_CODES.unknownMethod, `no method ${message.method} here`);
    }
  }

  #malformed({ id, code, detail, method }: Malformed): void {
    const session = this.#session;
    if (method === 'mining.submit') {
      const [login = NOBODY] = session.logins;
      refuseMalformed(session, id, login, detail);
      return;
    }
    session.refuse(id, null, code, detail);
    if (this.#invalid.add(session.shared.clock.nowMs())) return;
    session.garbled(`more than ${this.#invalid.max} invalid messages; the last: ${detail}`);
  }
}

/** The answer to whatever it asks first is why it is banned. */
function turnAway(session: Session, message: RigMessage, why: string): void {
  const result = message.kind === 'subscribe' ? null : false;
  if (message.kind !== 'response') session.refuse(message.id, result, ERROR_CODES.unauthorized, why);
  session.dismiss(why);
}

function answered(session: Session, { id, result }: Response): void {
  session.answeredAtMs = session.shared.clock.nowMs();
  if (id !== VERSION_ID || typeof result !== 'string') return;
  session.self.agent = result;
  session.settleTarget();
}

function configure(session: Session, { id, extensions }: ConfigureRequest): void {
  const taken = extensions.map((name): [string, JsonValue] => [name, name === EXTRANONCE_EXTENSION]);
  session.answer(id, Object.fromEntries(taken));
  showsModern(session, extensions.includes(EXTRANONCE_EXTENSION));
}

/** Only newer software sends such; @param takesExtranonce as it says by this. */
function showsModern(session: Session, takesExtranonce: boolean): void {
  const { self } = session;
  if (!self.isModern && self.agent === '') session.notify({ kind: 'getVersion', id: VERSION_ID });
  self.isModern = true;
  if (!takesExtranonce) return;
  self.takesExtranonce = true;
  enter(session, false);
}

/** @param difficulty expected hashes a share. */
function suggest(session: Session, id: RequestId, difficulty: number): void {
  if (!session.mayWish()) session.refuse(id, false, ERROR_CODES.other, TOO_MANY_WISHES);
  else if (session.self.suggest(difficulty, session.shownSpeed)) session.answer(id, true);
  else session.refuse(id, false, ERROR_CODES.other, DIFFICULTY_IS_SET);
}
