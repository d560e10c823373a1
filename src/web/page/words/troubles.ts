/** What is wrong, the worst first: in the words of the API where it has some, with what to do. */
import type { Node, Summary } from '../reading/answers.js';
import type { Lost, Seen } from '../reading/feed.js';
import { count, counted } from './numbers.js';

export interface Trouble {
  /** No two of a page have the same. */
  readonly id: string;
  /** `fault`: nothing is mined, or nothing is known. `warning`: it goes on, and somebody should look. */
  readonly kind: 'fault' | 'warning';
  readonly title: string;
  /** Sentences, without their full stops. */
  readonly says: readonly string[];
  /** When it began, where that is known. */
  readonly sinceMs?: number;
}

export function troublesOf({ link, summary }: Seen): Trouble[] {
  const lost = link.state === 'lost' ? [lostTrouble(link)] : [];
  const told = summary ? [...workTroubles(summary), ...bookTroubles(summary)] : [];
  return [...lost, ...told.filter(isFault), ...told.filter((trouble) => !isFault(trouble))];
}

function lostTrouble({ says, isAnswer, sinceMs }: Lost): Trouble {
  const goesOn = 'What is shown is the last that was heard. This page goes on by itself when it is back';
  const common = { id: 'lost', kind: 'fault', sinceMs } as const;
  return isAnswer
    ? { ...common, title: 'The bridge tells nothing here', says: [capital(says)] }
    : { ...common, title: 'Offline', says: [`${capital(says)}: is it running?`, goesOn] };
}

function isFault({ kind }: Trouble): boolean {
  return kind === 'fault';
}

function workTroubles({ nodes, works }: Summary): Trouble[] {
  const unwell = nodes.filter(({ state }) => state !== 'healthy');
  if (nodes.length === 0) return [NO_NODE];
  if (unwell.length === nodes.length)
    return [{ id: 'nodes', kind: 'fault', title: 'No node gives work', says: unwell.map(nodeWords) }];
  const jobless: Trouble[] = works.length === 0 ? [NO_JOB] : [];
  const title =
    unwell.length === 1 ? 'A node gives no work' : `${counted(unwell.length, 'node')} give no work`;
  const some: Trouble[] =
    unwell.length > 0 ? [{ id: 'nodes', kind: 'warning', title, says: unwell.map(nodeWords) }] : [];
  return [...jobless, ...some];
}

const NO_NODE: Trouble = {
  id: 'nodes',
  kind: 'fault',
  title: 'No node is set',
  says: [
    'Without a node there is no work. Name one: stratum-bridge serve --node http://NODE:1848',
    'To try things without a network: stratum-bridge node --mining --data-dir ./chain',
  ],
};

const NO_JOB: Trouble = {
  id: 'job',
  kind: 'fault',
  title: 'No job yet',
  says: ['A node is there, and its first work is awaited'],
};

export function nodeWords({ url, state, reason }: Node): string {
  return reason === '' ? `${url} is ${state}` : `${url} is ${state}: ${reason}`;
}

function bookTroubles({ queue, ledger }: Summary): Trouble[] {
  const { waiting = 0, spooled = 0, failed = 0 } = queue;
  const troubles: Trouble[] = [];
  if (!queue.isUp)
    troubles.push({
      id: 'queue',
      kind: 'warning',
      title: 'The share queue is away',
      says: [
        'Until it answers, shares are kept in the spool on disk: does its Redis or database run?',
        `The last known: ${count(waiting)} entries wait, ${count(spooled)} are on the spool`,
      ],
    });
  if (!ledger.isUp)
    troubles.push({
      id: 'ledger',
      kind: 'warning',
      title: 'The ledger is away',
      says: [
        'Shares wait for it meanwhile: does the database run?',
        'Numbers of the books are the last known ones',
      ],
    });
  if (failed > 0)
    troubles.push({
      id: 'failed',
      kind: 'warning',
      title: `${counted(failed, 'entry', 'entries')} set aside`,
      says: ['The books could not take what they hold: stratum-bridge ledger queue list says why'],
    });
  return troubles;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
