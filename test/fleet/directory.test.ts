/** The directory of tenures against a model: rigs come to fronts, leave, move; fronts die and start again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownTenure } from '../../src/bridge/fleet/state.js';
import { Directory } from '../../src/fleet/state/directory.js';

const STAY_MS = 1000;
const FRONTS = 3;
const RIGS = 4;

/** Where a rig's tenure is, and since when it waits. */
interface Place {
  readonly token: string;
  readonly front: number;
  isHeld: boolean;
  leavesAtMs: number | undefined;
}

const rig = fc.nat({ max: RIGS - 1 });
const front = fc.nat({ max: FRONTS - 1 });
const action = fc.oneof(
  fc.record({ kind: fc.constant('come' as const), rig, front, byToken: fc.boolean() }),
  fc.record({ kind: fc.constant('leave' as const), rig }),
  fc.record({ kind: fc.constant('die' as const), front }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 700 }) }),
);

function known(token: string, login: number, leavesInMs?: number): KnownTenure {
  return {
    ...{ token, nonce1: '0000', logins: [{ account: 'a', rig: String(login) }], addressKey: '127.0.0.1' },
    ...{ leavesInMs, data: new Uint8Array() },
  };
}

describe('the directory', () => {
  it('points to where a tenure is, gives what is left once, and forgets in time', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const directory = new Directory({ tenures: 100, stayMs: STAY_MS });
        /** Of each rig the one that counts. */
        const places = new Map<number, Place>();
        let nowMs = 0;
        let tokens = 0;
        for (const each of actions) {
          switch (each.kind) {
            case 'wait':
              nowMs += each.ms;
              directory.expire(nowMs);
              for (const [of, { leavesAtMs }] of places)
                if (leavesAtMs !== undefined && leavesAtMs <= nowMs) places.delete(of);
              break;
            case 'die':
              directory.died(each.front, nowMs);
              for (const place of places.values())
                if (place.front === each.front && place.isHeld) {
                  place.isHeld = false;
                  place.leavesAtMs ??= nowMs + STAY_MS;
                }
              break;
            case 'leave': {
              const place = places.get(each.rig);
              if (!place?.isHeld || place.leavesAtMs !== undefined) break;
              place.leavesAtMs = nowMs + STAY_MS;
              directory.has(place.front, known(place.token, each.rig, STAY_MS), nowMs);
              break;
            }
            case 'come': {
              const place = places.get(each.rig);
              const named = each.byToken ? place?.token : undefined;
              const logins = [{ account: 'a', rig: String(each.rig) }];
              const claim = { named, logins, addressKey: '127.0.0.1', places: [] };
              const found = directory.find(each.front, claim, nowMs);
              if (!place || (place.isHeld && place.front === each.front)) expect(found).toBeUndefined();
              else if (place.isHeld) expect(found).toEqual({ at: place.front, token: place.token });
              else
                expect(found).toMatchObject({ left: { front: place.front, tenure: { token: place.token } } });
              // It was given up, or is left, or was here: its front tells of the new one alone.
              if (place?.isHeld) directory.gone(place.front, place.token);
              const next = { token: `t${++tokens}`, front: each.front, isHeld: true, leavesAtMs: undefined };
              places.set(each.rig, next);
              directory.has(each.front, known(next.token, each.rig), nowMs);
            }
          }
          expect(directory.size).toBe(places.size);
          for (const { token, front: at, isHeld } of places.values())
            expect(directory.frontOf(token)).toBe(isHeld ? at : undefined);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('forgets what was told longest ago, where there are too many', () => {
    const directory = new Directory({ tenures: 3, stayMs: STAY_MS });
    for (let i = 0; i < 10; i++) directory.has(i % 2, known(`t${i}`, i), 0);
    expect(directory.size).toBe(3);
    expect(directory.frontOf('t6')).toBeUndefined();
    expect(directory.frontOf('t7')).toBe(1);
    directory.has(1, known('t7', 7), 1);
    directory.has(0, known('t10', 10), 1);
    expect([directory.frontOf('t7'), directory.frontOf('t8')]).toEqual([1, undefined]);
  });
});
