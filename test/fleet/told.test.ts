/** What a front tells its hub of its tenures: all that has changed, within one round of its ticks. */
import { expect, it } from 'vitest';
import type { FleetState } from '../../src/bridge/fleet/state.js';
import { SILENT } from '../../src/core/names/log.js';
import { HubState } from '../../src/fleet/state/state.js';
import { STRATUM_LIMITS } from '../../src/stratum/door/limits.js';
import type { TokenOwner } from '../../src/stratum/tenure/claims.js';
import { FleetTenures } from '../../src/stratum/tenure/fleet-tenures.js';
import { Parking } from '../../src/stratum/tenure/parking.js';
import { RigBook } from '../../src/stratum/tenure/rig-book.js';
import { Tenure } from '../../src/stratum/tenure/tenure.js';

const RIGS = 10_000;
/** Of five milliseconds: a second. */
const TICKS = 200;
const STAY_MS = 60_000;

/** One that was issued a job. */
function tenureOf(rig: number): Tenure {
  const lease = { nonce1: rig, group: 0 };
  const own = new Uint8Array(32).fill(7);
  const kept = {
    ...{ leavesInMs: 0, addressKey: '10.0.0.1', token: rig.toString(16).padStart(32, '0'), lease },
    ...{ logins: [{ account: 'a', rig: `r${rig}` }], bestShare: 0, accepted: 0, rejected: {} },
    issued: [{ upTo: 1, changes: [{ fromJobNumber: 1, lease, own }] }],
    shareTarget: { settings: VARDIFF, difficulty: 2 ** 31, isKnown: true },
  } as unknown as Parameters<typeof Tenure.of>[0];
  return Tenure.of(kept, 0, 0);
}

const VARDIFF = {
  ...{ secondsPerShare: 10, startDifficulty: 2 ** 30, minDifficulty: 2 ** 16, maxDifficulty: 2 ** 60 },
  powersOfTwo: false,
};

it('tells within a second of ten thousand rigs that have come or had a share, a few in each tick', async () => {
  const clock = { nowMs: () => 0 };
  const state = new HubState({
    kept: { bans: [], difficulties: [], labels: [], addresses: [] },
    keeper: { keep: async () => undefined },
    bans: { banned: () => undefined, unbanned: () => undefined },
    ...{ clock, stayMs: STAY_MS, log: SILENT },
  });
  await state.join(1, { begin: async () => undefined } as never);
  const desk = state.deskOf(1);
  const pieces: number[] = [];
  const hub: FleetState = {
    ...desk,
    has: (tenures) => {
      pieces.push(tenures.length);
      desk.has(structuredClone(tenures));
    },
  };
  const byToken = new Map<string, TokenOwner>();
  const tenures = Array.from({ length: RIGS }, (_, rig) => tenureOf(rig));
  for (const tenure of tenures)
    byToken.set(tenure.token ?? '', { tenure, logins: tenure.logins, end: () => undefined });
  const told = new FleetTenures({
    ...{ front: 1, hub, byToken, clock, log: SILENT, leases: { groups: 1 } },
    parking: new Parking(STAY_MS, STRATUM_LIMITS),
    rigBook: new RigBook({ limits: STRATUM_LIMITS, accounts: { areProven: false } }),
    judge: { judge: () => expect.fail('nothing is judged') } as never,
  });
  const second = (): void => {
    hub.tell({ ...told.take(), addresses: [] });
    for (let tick = 0; tick < TICKS; tick++) told.turn();
  };
  const sum = (): number => pieces.splice(0).reduce((all, piece) => all + piece, 0);
  second();
  expect(state.tenures).toBe(RIGS);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(50);
  expect(sum()).toBe(RIGS);
  // Nothing is new.
  second();
  expect(sum()).toBe(0);
  for (const tenure of tenures) tenure.accepted++;
  second();
  expect(sum()).toBe(RIGS);
  // Those that are gone: at most five thousand a second, told in the next.
  byToken.clear();
  for (let i = 0; i < 3; i++) second();
  expect([sum(), state.tenures]).toEqual([0, 0]);
});
