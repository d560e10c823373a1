/** How a rig comes to its nonces and jobs: subscribe and authorize come in either order, and once both are there it gets jobs. */
import { NONCE2_BYTES, nonce1ToHex } from '../../core/jobs/nonce.js';
import { ERROR_CODES } from '../../wire/errors.js';
import { type SubscribeRequest, subscribeResult } from '../../wire/messages.js';
import type { Lease } from '../resume/nonce-leases.js';
import type { Session } from './session.js';

export function subscribe(session: Session, { id, agent, resume }: SubscribeRequest): void {
  const { self, resumption } = session;
  self.subscribed(agent);
  const isNew = resumption.lease === undefined;
  const lease = resumption.lease ?? resumption.take(self.resumed(resume), session);
  if (!lease) {
    session.refuse(id, null, ERROR_CODES.other, 'the bridge is full: all of the nonce space is taken');
    session.end('the nonce space is full');
    return;
  }
  const token = resume === undefined ? null : resumption.token;
  session.answer(id, subscribeResult(self.nonce1For(lease.nonce1), token));
  if (isNew) enter(session, true);
  else session.settleTarget();
}

/** It has said something new of who it is, or what it takes. @param isNew it has had no job here. */
export function enter(session: Session, isNew: boolean): void {
  const lease = comeBack(session);
  session.settleTarget();
  if (lease) exchange(session, lease);
  if (lease || isNew) session.offerNewest();
}

/** Once its login is known, a rig that came back has its late shares; and its former nonce1, where it takes another one. */
function comeBack({ ready, resumption, logins, self }: Session): Lease | undefined {
  if (!ready) return undefined;
  if (!self.takesExtranonce) resumption.follow(logins);
  else
    for (const login of logins) {
      const lease = resumption.takeBack(login);
      if (lease) return lease;
    }
  return undefined;
}

function exchange(session: Session, { nonce1 }: Lease): void {
  const nonce1Hex = nonce1ToHex(session.self.nonce1For(nonce1));
  session.notify({ kind: 'setExtranonce', nonce1Hex, nonce2Bytes: NONCE2_BYTES });
  session.feed.announceAgain();
}
