/**
 * Who the rig mines as. A wrong account or password is answered late, and so is a login under which rigs were closed again and
 * again; the session's further authorize requests wait behind it.
 */
import { ERROR_CODES } from '../../wire/errors.js';
import type { AuthorizeRequest } from '../../wire/messages.js';
import { type Credentials, parseCredentials, type Refusal } from '../admission/accounts.js';
import { COSTS } from '../admission/address.js';
import { SlidingCount } from '../admission/budgets.js';
import type { Session } from './session.js';
import { enter } from './subscribe.js';

/** Of one session, in `invalidWindowMs`; one more ends it. */
const WRONG_LOGINS = 10;
export const TOO_MANY_WISHES = 'a rig may ask for another share difficulty once in ten seconds';

export function authorize(session: Session, request: AuthorizeRequest): void {
  const { lateAuthorize, shared } = session;
  if (!lateAuthorize) settle(session, request, shared.clock.nowMs(), true);
  else if (lateAuthorize.behind.push(request) > shared.rules.limits.loginsPerSession)
    session.dismiss('too many logins wait for an answer');
}

function settle(session: Session, request: AuthorizeRequest, nowMs: number, mayWait: boolean): void {
  const { authorized, shared, address } = session;
  const credentials = parseCredentials(request.login, request.password);
  const onLook = (): void => void address.charge(COSTS.account, nowMs);
  const refusal = authorized.whyNot(request.login, credentials, nowMs, onLook);
  if (refusal?.kind === 'unfit') refuse(session, request, refusal.text);
  else if (refusal) refuseWrong(session, request, refusal, nowMs);
  else {
    const isIn = authorized.has(request.login);
    const delayMs = isIn || !mayWait ? 0 : shared.violations.delayMs(credentials, address, nowMs);
    if (delayMs === 0) letIn(session, request, credentials);
    else answerAt(session, nowMs + delayMs, (atMs) => settle(session, request, atMs, false));
  }
}

function refuseWrong(
  session: Session,
  request: AuthorizeRequest,
  { text, kind }: Refusal,
  nowMs: number,
): void {
  const { address, shared } = session;
  const { invalidWindowMs, refusalDelayMs } = shared.rules.limits;
  const ban = kind === 'guess' ? shared.violations.guessed(address, nowMs) : undefined;
  session.wrongLogins ??= new SlidingCount(WRONG_LOGINS, invalidWindowMs);
  const isTolerable = session.wrongLogins.add(nowMs);
  if (ban) session.dismiss(`banned: ${ban}`);
  else if (!isTolerable) session.dismiss(`more than ${WRONG_LOGINS} wrong accounts or passwords`);
  else answerAt(session, nowMs + refusalDelayMs, () => refuse(session, request, text));
}

function answerAt(session: Session, dueAtMs: number, answer: (nowMs: number) => void): void {
  const behind: AuthorizeRequest[] = [];
  session.lateAuthorize = {
    dueAtMs,
    behind,
    answer: (nowMs) => {
      session.lateAuthorize = undefined;
      answer(nowMs);
      for (const request of behind) authorize(session, request);
    },
  };
}

function refuse(session: Session, { id }: AuthorizeRequest, text: string): void {
  session.refuse(id, false, ERROR_CODES.unauthorized, text);
  session.hint(text);
}

function letIn(session: Session, { id, login: text }: AuthorizeRequest, credentials: Credentials): void {
  if (!session.isOpen) return;
  const { authorized, self, shared } = session;
  session.answeredAtMs = shared.clock.nowMs();
  const isFirst = !authorized.any;
  // Before the answer, which may end the session: who is closed first would be counted for ever.
  if (!authorized.has(text)) addLogin(session, text, credentials);
  session.answer(id, self.quirks.authorizeAnswer ?? true);
  self.hint(credentials);
  chooseDifficulty(session, credentials.fixedDifficulty);
  enter(session, isFirst);
  session.usage.letIn(shared.rules.accounts.areProven);
}

function addLogin(session: Session, text: string, { account, rig }: Credentials): void {
  const { authorized, shared, info, addressKey, agent } = session;
  const login = authorized.add(text, { account, rig });
  if (login) shared.rigBook.entered(login, session, addressKey);
  shared.events.emit('sessionAuthorized', info, account, rig, agent);
}

/** @param difficulty expected hashes a share; `undefined` where the login and the password say nothing of it. */
function chooseDifficulty(session: Session, difficulty: number | undefined): void {
  if (difficulty === undefined || difficulty === session.self.chosen) return;
  if (session.mayWish()) session.self.chosen = difficulty;
  else session.hint(TOO_MANY_WISHES);
}
