/** What events make of a node, and which of several is worked for: a pure function, played through. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  choose,
  type Fault,
  NEW_NODE,
  type NodeEvent,
  type NodeLife,
  next,
  untilChangeMs,
} from '../../src/upstream/node-state.js';
import type { Distrust } from '../../src/upstream/standing.js';
import { ROOT } from '../helpers/web/pages.js';

const RULES = { switchAfterMs: 100, failbackAfterMs: 1_000 };
const HOUR_MS = 3_600_000;
const gave: NodeEvent = { kind: 'gave', network: 'n', said: 'gives work' };
const well: NodeEvent = { ...gave, kind: 'well' };
const passed: NodeEvent = { kind: 'passed' };
const caught: NodeEvent = { kind: 'caught', words: 'forged', advice: 'look at it' };
const compared = (kind?: Distrust['kind']): NodeEvent => ({
  kind: 'compared',
  distrust: kind && { kind, reason: `${kind} is wrong` },
  isRound: true,
});
const failed = (state: Fault['state'], isSilence = false): NodeEvent => ({
  kind: 'failed',
  network: 'n',
  fault: { state, reason: `it is ${state}`, isSilence, isDeaf: isSilence, askedAtMs: 0 },
});
const silence = failed('stalled', true);

function play(events: readonly NodeEvent[], life: NodeLife = NEW_NODE, atMs = 0): NodeLife {
  return events.reduce((before, each) => next(before, { ...each, atMs }, RULES), life);
}

const STATES: Readonly<Record<string, readonly NodeEvent[]>> = {
  starting: [],
  healthy: [gave],
  stalled: [gave, silence, silence, silence],
  away: [gave, failed('away')],
  unauthorized: [gave, failed('unauthorized')],
  disabled: [gave, failed('disabled')],
  'quarantined, compared': [gave, compared('clock')],
  'quarantined, caught': [gave, caught],
};

/** Each column: all of these events, one sequence each, lead to what stands there. */
const COLUMNS: readonly { readonly ways: readonly (readonly NodeEvent[])[]; readonly afterMs?: number }[] = [
  { ways: [[gave], [well]] },
  { ways: (['away', 'unauthorized', 'disabled'] as const).map((state) => [failed(state)]) },
  { ways: [[silence]] },
  { ways: [[silence, silence, silence]] },
  { ways: [[compared('clock')], [compared('network')], [compared('behind'), compared('behind')]] },
  { ways: [[compared()]] },
  { ways: [[caught]] },
  { ways: [[passed]], afterMs: HOUR_MS },
  {
    ways: [
      [{ kind: 'suspected' }],
      [{ kind: 'timed', aheadMs: 60_000 }],
      [{ kind: 'taken' }],
      [{ kind: 'taken' }, { kind: 'left' }],
    ],
  },
];

describe('the state of a node', () => {
  it('is what the table in the README of its room says, for all states and events', () => {
    const rows = tableOf(readFileSync(join(ROOT, 'src/upstream/README.md'), 'utf8'));
    expect(Object.keys(rows)).toEqual(Object.keys(STATES));
    for (const [name, cells] of Object.entries(rows)) {
      const before = play(STATES[name] ?? []);
      expect(before.state).toBe(name.split(',')[0]);
      expect(cells).toHaveLength(COLUMNS.length);
      for (const [i, { ways, afterMs = 0 }] of COLUMNS.entries()) {
        for (const way of ways) {
          const [first] = way;
          const says = first?.kind === 'failed' ? first.fault.state : '';
          const due = cells[i] === '-' ? before.state : cells[i] === 'as it says' ? says : cells[i];
          expect(play(way, before, afterMs).state, `${name}: column ${i + 1}, ${says}`).toBe(due);
        }
      }
    }
  });

  it('is stalled at the first silence of a node that was never found', () => {
    expect(play([{ ...silence, network: '' } as NodeEvent]).state).toBe('stalled');
  });

  it('is no worse for being behind in one round, and worse for two in a row', () => {
    const once = play([gave, compared('behind')]);
    expect(once.state).toBe('healthy');
    expect(play([compared(), compared('behind')], once).state).toBe('healthy');
    expect(play([compared('behind')], once).state).toBe('quarantined');
  });

  it('N1: is doubted for twice as long each time it was caught, up to an hour, and after a while anew', () => {
    const waits: number[] = [];
    let [life, atMs] = [play([gave]), 0];
    for (let time = 0; time < 8; time++) {
      life = play([caught, caught], life, atMs);
      waits.push((life.forgery?.untilMs ?? 0) - atMs);
      atMs += waits.at(-1) ?? 0;
      expect(play([passed], life, atMs - 1).doubt).toBeDefined();
      expect(play([passed], life, atMs).doubt).toBeUndefined();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * 60_000));
    life = play([caught], life, atMs + HOUR_MS);
    expect((life.forgery?.untilMs ?? 0) - atMs - HOUR_MS).toBe(60_000);
  });
});

describe('the choice of a node', () => {
  it('is the first that is fit, and at the start a better one at once', () => {
    const nodes = new Nodes(3);
    expect(nodes.inUse).toBeUndefined();
    expect(nodes.happen(1, gave, 10)).toBe(1);
    expect(nodes.happen(0, gave, 20)).toBe(0);
  });

  it('leaves one in trouble when it stays so, and comes back when it was fit for a while', () => {
    const nodes = new Nodes(2);
    nodes.happen(1, gave, 0);
    nodes.happen(0, gave, 0);
    expect(nodes.happen(0, failing(100), 100)).toBe(0);
    expect(nodes.untilChangeMs(100)).toBe(100);
    expect(nodes.pass(200)).toBe(1);
    expect([nodes.happen(0, well, 300), nodes.pass(1_299)]).toEqual([1, 1]);
    expect(nodes.untilChangeMs(1_000)).toBe(300);
    expect(nodes.pass(1_300)).toBe(0);
    expect(nodes.untilChangeMs(1_300)).toBeUndefined();
  });

  it('stays with the last one while none is fit', () => {
    const nodes = new Nodes(2);
    nodes.happen(1, gave, 0);
    nodes.happen(1, failed('away'), 0);
    expect(nodes.pass(500)).toBe(1);
    expect(nodes.happen(0, gave, 500)).toBe(0);
  });

  it('waits twice as long for a node each time it falls, and forgives it in time', () => {
    const nodes = new Nodes(2);
    nodes.happen(0, gave, 0);
    nodes.happen(1, gave, 0);
    const waits: number[] = [];
    let atMs = 0;
    const fallAndRise = (): void => {
      expect(nodes.happen(0, compared('clock'), atMs)).toBe(1);
      expect(nodes.happen(0, compared(), atMs)).toBe(1);
      waits.push(nodes.untilChangeMs(atMs) ?? 0);
      atMs += waits.at(-1) ?? 0;
      expect([nodes.pass(atMs - 1), nodes.pass(atMs)]).toEqual([1, 0]);
    };
    for (let fall = 0; fall < 8; fall++) fallAndRise();
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
    atMs += 200_000;
    fallAndRise();
    expect(waits.at(-1)).toBe(1_000);
  });

  it('holds for whatever happens: who is doubted is not chosen, one failed request moves no rig', () => {
    const step = fc.record({
      place: fc.nat(2),
      waitMs: fc.oneof(fc.nat(150), fc.nat(5_000)),
      event: fc.constantFrom<NodeEvent>(
        ...[gave, well, silence, failed('away'), failed('disabled'), failed('unauthorized'), passed, caught],
        ...[compared(), compared('clock'), compared('behind'), { kind: 'suspected' } as const],
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const nodes = new Nodes(3);
        let atMs = 0;
        for (const { place, waitMs, event } of steps) {
          atMs += waitMs;
          const before = nodes.inUse;
          const now = nodes.happen(place, isFailure(event) ? failing(atMs, event) : event, atMs);
          nodes.check(before, atMs);
          if (now !== undefined) oneFailureMovesNobody(nodes, now, atMs);
        }
      }),
      { seed: 19, numRuns: 500 },
    );
  });
});

function isFailure(event: NodeEvent): event is NodeEvent & { kind: 'failed' } {
  return event.kind === 'failed';
}

/** A failure that is heard of at once. */
function failing(atMs: number, event: NodeEvent = failed('away')): NodeEvent {
  if (!isFailure(event)) return event;
  return { ...event, fault: { ...event.fault, askedAtMs: atMs } };
}

function oneFailureMovesNobody(nodes: Nodes, inUse: number, atMs: number): void {
  const life = nodes.lives[inUse];
  if (life?.state !== 'healthy' || life.troubleSinceMs !== undefined) return;
  const copy = nodes.copy();
  copy.happen(inUse, failing(atMs), atMs);
  copy.pass(atMs + RULES.switchAfterMs - 1);
  copy.happen(inUse, well, atMs + RULES.switchAfterMs - 1);
  const after = copy.inUse ?? Number.POSITIVE_INFINITY;
  // A better one may have been waited for meanwhile.
  expect(after).toBeLessThanOrEqual(inUse);
  expect(copy.lives[inUse]?.falls).toBe(life.falls);
}

/** Several nodes and the choice among them, as an upstream has them. */
class Nodes {
  lives: NodeLife[];
  inUse: number | undefined;

  constructor(count: number) {
    this.lives = Array.from({ length: count }, () => Object.freeze({ ...NEW_NODE }));
  }

  copy(): Nodes {
    return Object.assign(new Nodes(0), { lives: [...this.lives], inUse: this.inUse });
  }

  happen(place: number, event: NodeEvent, atMs: number): number | undefined {
    this.#tell(place, event, atMs);
    return this.pass(atMs);
  }

  pass(atMs: number): number | undefined {
    for (const place of this.lives.keys()) this.#tell(place, passed, atMs);
    const chosen = choose(this.lives, this.inUse, atMs, RULES);
    if (chosen !== this.inUse && chosen !== undefined) {
      if (this.inUse !== undefined) this.#tell(this.inUse, { kind: 'left' }, atMs);
      this.#tell(chosen, { kind: 'taken' }, atMs);
    }
    this.inUse = chosen;
    return chosen;
  }

  untilChangeMs(atMs: number): number | undefined {
    return untilChangeMs(this.lives, this.inUse, atMs, RULES);
  }

  /** @param before the place of the one in use until now. */
  check(before: number | undefined, atMs: number): void {
    const chosen = this.inUse === undefined ? undefined : this.lives[this.inUse];
    if (this.inUse !== before) expect(chosen?.state).toBe('healthy');
    if (this.lives.some(({ isFit }) => isFit)) expect(chosen?.isFit).toBe(true);
    for (const life of this.lives) {
      if (life.doubt !== undefined) expect(life.isFit).toBe(false);
      if (life.isFit && life.state !== 'healthy') {
        expect(life.isInUse && atMs < (life.troubleSinceMs ?? 0) + RULES.switchAfterMs).toBe(true);
      }
      expect(life.isInUse).toBe(life === chosen);
    }
  }

  #tell(place: number, event: NodeEvent, atMs: number): void {
    const before = this.lives[place] ?? NEW_NODE;
    const after = next(before, { ...event, atMs }, RULES);
    expect(next(before, { ...event, atMs }, RULES)).toEqual(after);
    this.lives[place] = Object.freeze(after);
  }
}

/** Name of each row -> its cells. */
function tableOf(page: string): Record<string, string[]> {
  const section = page.slice(page.indexOf('### One state a node'));
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| |'));
  const rows = lines.slice(0, Object.keys(STATES).length).map((line) => line.split('|').slice(1, -1));
  return Object.fromEntries(rows.map(([name = '', ...cells]) => [name.trim(), cells.map((c) => c.trim())]));
}
