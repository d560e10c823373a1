/** What goes wrong in a day of who pays: how each fault begins, and what ends it. */
import { rename } from 'node:fs/promises';
import type { PayerStory } from '../../helpers/payouts/payer-story.js';
import { DEPTH } from '../../helpers/payouts/payer-terms.js';
import type { TapFaults } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import type { PayingMachine } from './paying-machine.js';

export interface Parts {
  readonly story: PayerStory;
  /** The signer of the first one is a program. */
  readonly machines: readonly PayingMachine[];
  below(end: number): number;
  oneOf<T>(all: readonly T[]): T;
}

export type End = () => unknown;
type Begin = (parts: Parts) => Promise<End>;

const atOnce: End = () => {};

const statusOf = (status: string) => (text: string) =>
  text.replace(/^HTTP\/1\.1 200 OK/, `HTTP/1.1 ${status}`);

/** What a node says where the path is such; `undefined` cuts the connection. */
const says = (path: RegExp, change: (text: string) => string | undefined): Partial<TapFaults> => ({
  onAnswer: (text, asked) => (path.test(asked) ? change(text) : text),
});

const saysFailed = (text: string): string =>
  text.replace(/[\w-]{200,}/g, (part) => {
    const output = Buffer.from(part, 'base64url').toString();
    return Buffer.from(output.replace('"success"', '"failure"')).toString('base64url');
  });

const WELL: Partial<TapFaults> = { refuses: false, delayMs: 0, onAnswer: (text) => text };

const ofTap =
  (faults: Partial<TapFaults>): Begin =>
  async ({ story, oneOf }) => {
    const { tap } = oneOf(story.nodes);
    tap.set(faults);
    return () => tap.set(WELL);
  };

const ofMempools =
  (fault: 'dropTransactions' | 'holdTransactions'): Begin =>
  async ({ story }) => {
    await story.faults({ [fault]: true });
    return () => story.faults({ [fault]: false });
  };

async function reorganise({ story, below }: Parts): Promise<End> {
  const height = Math.min(...Object.values(story.first.node.cut().heights));
  // Whose turn is later would bring back the blocks of the others.
  for (const { node } of story.nodes) node.setPeerConnected(false);
  await story.rewind(height - 1 - below(DEPTH - 1));
  for (const { node } of story.nodes) node.setPeerConnected(true);
  return atOnce;
}

async function endConnections({ story: { pool } }: Parts): Promise<End> {
  await pool
    .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()')
    .catch(() => {}); // its own, too
  await until('the database answers', () => pool.query('SELECT').then(Boolean, () => false));
  return atOnce;
}

/** Of what can be wrong at a time, each in one way -> name. */
export const FAULTS: Readonly<Record<string, Readonly<Record<string, Begin>>>> = {
  machine: {
    killed: async ({ machines, oneOf }) => {
      const machine = oneOf(machines);
      await machine.kill();
      return () => machine.start();
    },
    'sent to sleep': async ({ machines, oneOf }) => {
      const machine = oneOf(machines);
      await machine.sleep();
      return () => machine.wake();
    },
    'without its signer': async ({ machines: [first] }) => {
      const keyFile = first?.keyFile ?? '';
      await rename(keyFile, `${keyFile}.away`);
      return () => rename(`${keyFile}.away`, keyFile);
    },
  },
  node: {
    down: ofTap({ refuses: true }),
    slow: ofTap({ delayMs: 30 }),
    'silent about what is sent': ofTap(says(/\/send$/, () => undefined)),
    'refusing what it takes': ofTap(says(/\/send$/, statusOf('400 Bad Request'))),
    'failing at commands': ofTap(says(/\/pact\//, statusOf('500 Internal Server Error'))),
    'lying about what was paid': ofTap(says(/\/payload\//, saysFailed)),
    hanging: async ({ story, oneOf }) => {
      const { node } = oneOf(story.nodes);
      await story.control(node, 'PUT', 'faults', { stall: true, onlyPath: '/pact/' });
      return () => story.control(node, 'DELETE', 'faults');
    },
  },
  rest: {
    'mempools drop': ofMempools('dropTransactions'),
    'mempools hold': ofMempools('holdTransactions'),
    'mempools forget': async ({ story }) => {
      for (const { node } of story.nodes) await story.control(node, 'DELETE', 'mempool');
      return atOnce;
    },
    'blocks are taken back': reorganise,
    'connections to the database end': endConnections,
  },
};
