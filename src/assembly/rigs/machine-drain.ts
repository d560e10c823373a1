/** Draining all bridges of this machine: whichever of them is asked, nobody is let in at any, and the rigs of all are asked to go. */

import type { RigWatch } from '../../bridge/watch/rig-watch.js';
import type { Drain } from '../../operations/drain.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { RigOrderHandlers } from '../../operations/orders/rig-orders.js';
import type { Machine } from '../machine.js';

type DrainOrders = Pick<RigOrderHandlers, 'drain' | 'cancelDrain'>;

interface OwnOrders extends Pick<DrainOrders, 'cancelDrain'> {
  /** @param startedAtMs the same at all of them, by which they are one. */
  drain(
    ...order: [...Parameters<DrainOrders['drain']>, startedAtMs?: number]
  ): ReturnType<DrainOrders['drain']>;
}

export interface MachineDrain extends DrainOrders {
  readonly report: () => Promise<Drain>;
}

interface Order {
  readonly given: Parameters<DrainOrders['drain']>[0];
  readonly by: string;
  readonly startedAtMs?: number;
}

export function drainOf(machine: Machine, operator: OwnOrders, rigs: Pick<RigWatch, 'drain'>): MachineDrain {
  machine.answer('drain', (about) => {
    const { given, by, startedAtMs } = about as Order;
    return operator.drain(given, by, startedAtMs);
  });
  machine.answer('cancelDrain', (by) => operator.cancelDrain({}, String(by)));
  machine.answer('howDrained', () => rigs.drain());
  return {
    drain: async (given, by) => {
      const at = machine.isOneOfSeveral ? { startedAtMs: Date.now() } : {};
      return together(await machine.askAll('drain', { given, by, ...at }));
    },
    cancelDrain: async (_, by) => together(await machine.askAll('cancelDrain', by)),
    report: async () => drainTogether((await machine.askAll('howDrained')) as Drain[]),
  };
}

/** What was refused by all is refused. */
function together(all: readonly unknown[]): Drain | Refused {
  const said = all as (Drain | Refused)[];
  const drains = said.filter((one): one is Drain => !('refused' in one));
  const [refusal] = said.filter((one) => 'refused' in one);
  return drains.length === 0 && refusal ? refusal : drainTogether(drains);
}

/** The furthest behind first: it is over where it is over for all. */
const STATES = ['draining', 'timeUp', 'drained', 'off'] as const;

function drainTogether([first, ...others]: readonly Drain[]): Drain {
  if (!first) throw new Error('no bridge of this machine says how it is drained');
  return others.reduce(
    (a, b) => ({
      ...(a.state === 'off' ? b : a),
      state: STATES.find((state) => a.state === state || b.state === state) ?? 'off',
      sessions: a.sessions + b.sessions,
      asked: a.asked + b.asked,
      unsupported: a.unsupported + b.unsupported,
      left: a.left + b.left,
    }),
    first,
  );
}
