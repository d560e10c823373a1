/**
 * Whose place a new connection takes where all are taken: who has no share gives way before anybody who has one is refused.
 * Each question takes the same time, however many sessions there are.
 */
import type { Session } from './session.js';

type SlotHolder = Pick<Session, 'hasMined' | 'isSilent' | 'dismiss'>;

const WHY = 'all connections are taken, and this one has had no share for long';

export class ConnectionSlots {
  /** Silent ones that never had a share; silent ones that had; those that are new. Each in the order in which they became so. */
  readonly #ranks: readonly [Set<SlotHolder>, Set<SlotHolder>, Set<SlotHolder>] = [
    new Set(),
    new Set(),
    new Set(),
  ];

  /** Called about once a second for each. */
  look(session: SlotHolder, nowMs: number): void {
    const rank = rankOf(session, nowMs);
    for (const [each, sessions] of this.#ranks.entries())
      if (each === rank) sessions.add(session);
      else sessions.delete(session);
  }

  left(session: SlotHolder): void {
    for (const sessions of this.#ranks) sessions.delete(session);
  }

  /**
   * Ends one session for another; false where none has to go.
   *
   * @param isOwed good rigs of the other's address have lost their places: new sessions give way to those.
   */
  makeRoom(isOwed: boolean, nowMs: number): boolean {
    for (const [rank, sessions] of this.#ranks.entries()) {
      if (rank === 2 && !isOwed) return false;
      for (const session of sessions) {
        sessions.delete(session);
        // It may have had a share since it was looked at.
        if (rankOf(session, nowMs) === rank) {
          session.dismiss(WHY);
          return true;
        }
      }
    }
    return false;
  }
}

function rankOf(session: SlotHolder, nowMs: number): 0 | 1 | 2 | undefined {
  if (session.isSilent(nowMs)) return session.hasMined ? 1 : 0;
  return session.hasMined ? undefined : 2;
}
