/** What the bridge's events say, as log lines. */
import type { BridgeEvents } from '../../bridge/events.js';
import type { Log } from '../../core/names/log.js';
import type { Solution } from '../../core/shares/share.js';
import { difficultyOf } from '../../core/work/target.js';
import type { Drain } from '../../operations/drain.js';

export function logEvents(events: BridgeEvents, log: Log): void {
  logSessions(events, log);
  logOrders(events, log);
  events.on('job', ({ id, work, node, clean, blockTarget }) => {
    const fields = { job: id, chain: work.chainId, height: work.fields.height, clean, node };
    log.debug({ event: 'job', ...fields, blockDifficulty: String(difficultyOf(blockTarget)) }, 'a job');
  });
  events.on('solutionFound', (solution) =>
    log.debug({ event: 'solution', ...placeOf(solution) }, 'a solution is sent'),
  );
  events.on('solutionSettled', (solution, state, detail) => {
    const say = state === 'received' ? 'info' : 'warn';
    log[say]({ event: 'solution', ...placeOf(solution), state, detail }, `solution ${state}`);
  });
}

function logSessions(events: BridgeEvents, log: Log): void {
  /** Of sessions that are open: one line each, however many names they authorize. */
  const names = new Map<number, number>();
  events.on('sessionOpened', (session) =>
    log.debug({ event: 'session-opened', ...session }, 'a rig connects'),
  );
  events.on('sessionAuthorized', (session, account, rig, agent) => {
    const count = (names.get(session.id) ?? 0) + 1;
    names.set(session.id, count);
    const say = count === 1 ? 'info' : 'debug';
    log[say]({ event: 'session-authorized', ...session, account, rig, agent }, 'a rig is ready to mine');
  });
  events.on('sessionClosed', (session, reason) => {
    const count = names.get(session.id) ?? 0;
    names.delete(session.id);
    const named = count > 1 ? { names: count } : {};
    log.info({ event: 'session-closed', ...session, reason, ...named }, 'a session has ended');
  });
  events.on('submit', ({ session, outcome, account, rig, jobId, detail }) => {
    if (outcome === 'accepted') return;
    log.debug(
      { event: 'submit', session: session.id, outcome, account, rig, job: jobId, detail },
      `submit: ${outcome}`,
    );
  });
}

/** The bridge's own bans are told where they are decided. */
function logOrders(events: BridgeEvents, log: Log): void {
  events.on('banned', (ban) => {
    if (ban.by !== null) log.warn({ event: 'banned', ...ban }, 'an operator bans');
  });
  events.on('unbanned', ({ id, kind, login, address }, by) => {
    const words = by === undefined ? 'a ban is over' : 'an operator takes a ban back';
    log.info({ event: 'unbanned', id, kind, login, address, by }, words);
  });
  events.on('drain', ({ state, sessions, asked, unsupported, left }, by) =>
    log.warn({ event: 'drain', state, sessions, asked, unsupported, left, by }, DRAIN_WORDS[state]),
  );
  events.on('steered', (deed) => log.info({ event: 'steered', ...deed }, STEERED_WORDS[deed.kind]));
}

const DRAIN_WORDS: Readonly<Record<Drain['state'], string>> = {
  off: 'the drain is cancelled: rigs are let in again',
  draining: 'the bridge drains: nobody is let in, and rigs are asked to go',
  drained: 'the bridge is drained: all rigs have gone',
  timeUp: 'the time of the drain is over, and not all rigs have gone',
};

const STEERED_WORDS = {
  addresses: 'an operator allows or denies addresses',
  close: 'an operator closes a session',
  difficulty: 'an operator sets a share difficulty',
  label: 'an operator labels a rig',
  message: 'an operator sends a message',
};

function placeOf({ job, account, rig }: Solution): object {
  const { chainId, fields } = job.work;
  return { chain: chainId, height: fields.height, job: job.id, node: job.node, account, rig };
}
