/** What the bridge's events say, as log lines. */
import type { BridgeEvents } from '../bridge/events.js';
import type { Log } from '../core/log.js';
import type { Solution } from '../core/share.js';
import { difficultyOf } from '../core/target.js';

export function logEvents(events: BridgeEvents, log: Log): void {
  events.on('sessionOpened', (session) =>
    log.debug({ event: 'session-opened', ...session }, 'a rig connects'),
  );
  events.on('sessionAuthorized', (session, account, rig, agent) =>
    log.info({ event: 'session-authorized', ...session, account, rig, agent }, 'a rig is ready to mine'),
  );
  events.on('sessionClosed', (session, reason) =>
    log.info({ event: 'session-closed', ...session, reason }, 'a session has ended'),
  );
  events.on('job', ({ id, work, node, clean, blockTarget }) => {
    const fields = { job: id, chain: work.chainId, height: work.fields.height, clean, node };
    log.debug({ event: 'job', ...fields, blockDifficulty: String(difficultyOf(blockTarget)) }, 'a job');
  });
  events.on('submit', ({ session, outcome, account, rig, jobId, detail }) => {
    if (outcome === 'accepted') return;
    log.debug(
      { event: 'submit', session: session.id, outcome, account, rig, job: jobId, detail },
      `submit: ${outcome}`,
    );
  });
  events.on('solutionFound', (solution) =>
    log.debug({ event: 'solution', ...placeOf(solution) }, 'a solution is sent'),
  );
  events.on('solutionSettled', (solution, state, detail) => {
    const say = state === 'received' ? 'info' : 'warn';
    log[say]({ event: 'solution', ...placeOf(solution), state, detail }, `solution ${state}`);
  });
}

function placeOf({ job, account, rig }: Solution): object {
  const { chainId, fields } = job.work;
  return { chain: chainId, height: fields.height, job: job.id, node: job.node, account, rig };
}
