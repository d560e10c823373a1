/** What happens to a bridge, as log lines. */
import type { BridgeEvents } from '../../bridge/events.js';
import { EVENTS, type Kind } from '../../bridge/timeline/events.js';
import type { TimelineEvent } from '../../bridge/timeline/timeline-event.js';
import type { Log } from '../../core/names/log.js';
import { difficultyOf } from '../../core/work/target.js';

export function logEvents(events: BridgeEvents, log: Log): void {
  logSessions(events, log);
  events.on('job', ({ id, work, node, clean, blockTarget }) => {
    const fields = { job: id, chain: work.chainId, height: work.fields.height, clean, node };
    log.debug({ event: 'job', ...fields, blockDifficulty: String(difficultyOf(blockTarget)) }, 'a job');
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

/** Those of its own lines that no other part says. A ban that nobody ordered is told where it is decided. */
export function logLine(log: Log, { kind, says, facts, by }: TimelineEvent): void {
  const level = EVENTS[kind as Kind].log;
  if (level === undefined || (kind === 'banned' && by === null)) return;
  log[level]({ event: kind, ...facts, by }, says);
}
