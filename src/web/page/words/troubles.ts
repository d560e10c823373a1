/** What is wrong, the worst first: in the words of the API where it has some, with what to do. */
import type { Alert, Drain, Node, Summary } from '../reading/answers.js';
import type { Lost, Seen } from '../reading/feed.js';
import { ofBridge } from './bridges.js';
import { kindWords } from './kinds.js';
import { count, counted } from './numbers.js';
import { duration, timeOf } from './times.js';

export interface Trouble {
  /** No two of a page have the same. */
  readonly id: string;
  /** `fault`: nothing is mined, or nothing is known. `warning`: it goes on, and somebody should look. */
  readonly kind: 'fault' | 'warning';
  readonly title: string;
  /** Sentences; the full stop may lack. */
  readonly says: readonly string[];
  /** Of the bridge that is away: when it was heard last; 0 where it never was. */
  readonly heardAtMs?: number;
}

/** What is asked for beside the state. */
export interface AlsoKnown {
  /** Open ones. */
  readonly alerts?: readonly Alert[] | undefined;
  /** There are open ones besides. */
  readonly isPart?: boolean;
  readonly drain?: Drain | undefined;
}

export function troublesOf({ link, summary, heardAtMs }: Seen, also: AlsoKnown = {}): Trouble[] {
  const { alerts = [], isPart = false, drain } = also;
  const lost = link.state === 'lost' ? [lostTrouble(link, heardAtMs)] : [];
  const seen = summary ? [...workTroubles(summary), ...bookTroubles(summary), ...chainTroubles(summary)] : [];
  const ids = new Set(seen.map(({ id }) => id));
  const told = [
    ...(drain ? drainTroubles(drain) : []),
    ...seen,
    ...alertTroubles(
      alerts.filter(({ condition }) => !ids.has(SEEN_AS[condition] ?? '')),
      isPart,
    ),
  ];
  return [...lost, ...told.filter(isFault), ...told.filter((trouble) => !isFault(trouble))];
}

function drainTroubles({ state, left, endsAt, stops, by }: Drain): Trouble[] {
  if (state === 'off') return [];
  const ordered = by === null ? 'It was ordered' : `It was ordered by ${by}`;
  const end = endsAt === null ? '' : `, until ${timeOf(Date.parse(endsAt))}`;
  const after = stops ? 'Then the bridge stops' : 'Nobody is let in until the drain is cancelled';
  return [
    {
      id: 'drain',
      kind: left === 0 ? 'fault' : 'warning',
      title: DRAIN_TITLES[state],
      says: [`${counted(left, 'session')} left. ${ordered}${end}. ${after}`],
    },
  ];
}

const DRAIN_TITLES: Readonly<Record<Exclude<Drain['state'], 'off'>, string>> = {
  draining: 'The bridge drains: it lets nobody in, and asks rigs to go',
  drained: 'The bridge is drained: it lets nobody in',
  timeUp: 'The time to drain is over: nobody is let in',
};

/** Conditions that the state shows by itself, with more of what to do, and as which trouble. */
const SEEN_AS: Readonly<Partial<Record<string, string>>> = {
  nodeUnhealthy: 'nodes',
  noFreshJob: 'job',
  queueBehind: 'queue',
  ledgerAway: 'ledger',
  chainStandsStill: 'chains',
};
/** Of one condition so many are told one by one. */
const MOST_OF_ONE = 5;

/** Good news, and what can wait, is no trouble. One for each condition, however many rigs it holds for. */
function alertTroubles(alerts: readonly Alert[], isPart: boolean): Trouble[] {
  const bad = alerts.filter(({ severity }) => severity !== 'info');
  return [...new Set(bad.map(({ condition }) => condition))].map((condition): Trouble => {
    const all = bad.filter((alert) => alert.condition === condition);
    const more = all.length - MOST_OF_ONE;
    return {
      id: `alert ${condition}`,
      kind: all.some(({ severity }) => severity === 'critical') ? 'fault' : 'warning',
      title: `${all.length === 1 ? 'Alert' : `${isPart ? 'At least ' : ''}${all.length} alerts`}: ${kindWords(condition)}`,
      says: [
        ...all.slice(0, MOST_OF_ONE).map(({ says }) => says),
        ...(more > 0 ? [`And ${isPart ? 'at least ' : ''}${more} more`] : []),
      ],
    };
  });
}

function lostTrouble({ says, isAnswer }: Lost, heardAtMs: number): Trouble {
  const last = heardAtMs > 0 ? ['The data shown are the last received'] : [];
  const common = { id: 'lost', kind: 'fault', heardAtMs } as const;
  if (isAnswer) return { ...common, title: 'Sign in to continue', says: [says, ...last] };
  const goesOn = 'This page goes on by itself when it is back';
  return { ...common, title: 'Offline', says: [`${says} Is it running?`, ...last, goesOn] };
}

function isFault({ kind }: Trouble): boolean {
  return kind === 'fault';
}

function workTroubles(summary: Summary): Trouble[] {
  const { whyReleased } = summary;
  const [first, ...others] = nodeTroubles(summary);
  if (whyReleased === null) return first ? [first, ...others] : [];
  // Where nobody gives work nothing else is the matter.
  if (first && isFault(first)) return [{ ...first, says: [...first.says, KEPT_OUT] }, ...others];
  return [deadTrouble(whyReleased), ...(first ? [first, ...others] : [])];
}

const KEPT_OUT = 'Rigs are let in once there is live work, and mine at their second pool until then';

function deadTrouble(why: string): Trouble {
  const title = 'The work is dead: rigs were let go, to mine at their second pool';
  const says = [`Because ${why}`, 'They are let in again after 15 seconds of live work'];
  return { id: 'work', kind: 'fault', title, says };
}

function nodeTroubles({ nodes, works, instance }: Summary): Trouble[] {
  const unwell = nodes.filter(({ state }) => state !== 'healthy');
  // Those of another bridge give this one no work.
  const here = nodes.filter(({ bridge }) => bridge === null || bridge === instance);
  if (here.length === 0) return [NO_NODE];
  if (here.every(({ state }) => state !== 'healthy'))
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
    'Without a node there is no work. Name one: stratum-bridge serve --node-urls http://NODE:1848',
    'To try things without a network: stratum-bridge node --mining --data-dir ./chain',
  ],
};

const NO_JOB: Trouble = {
  id: 'job',
  kind: 'fault',
  title: 'No job yet',
  says: ['A node is there, and its first work is awaited'],
};

function nodeWords({ url, bridge, state, reason }: Node): string {
  return `${url}${ofBridge(bridge)} is ${state}${reason === '' ? '' : `: ${reason}`}`;
}

function bookTroubles({ queue, ledger }: Summary): Trouble[] {
  const { waiting = 0, heldBack = 0, failed = 0, oldestMs = 0 } = queue;
  const oldest = heldBack > 0 ? `, the oldest for ${duration(oldestMs)}` : '';
  const troubles: Trouble[] = [];
  if (!queue.isUp)
    troubles.push({
      id: 'queue',
      kind: 'warning',
      title: 'The share queue is away',
      says: [
        'Until it answers, shares wait in the share log on disk: does its Redis or database run?',
        `The last known: ${count(waiting)} entries wait, ${count(heldBack)} shares are on disk${oldest}`,
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
  if (ledger.differingRules.length > 0)
    troubles.push({
      id: 'rules',
      kind: 'warning',
      title: 'Settings are not the rules',
      says: [
        'They are passed over: stratum-bridge ledger rules shows the rules that hold',
        ledger.differingRules.join('; '),
      ],
    });
  if (failed > 0)
    troubles.push({
      id: 'failed',
      kind: 'warning',
      title: `${counted(failed, 'entry', 'entries')} set aside`,
      says: ['The books could not take what they hold: stratum-bridge ledger entry list says why'],
    });
  return troubles;
}

function chainTroubles({ following }: Summary): Trouble[] {
  if (!following?.still) return [];
  return [
    {
      id: 'chains',
      kind: 'warning',
      title: `${counted(following.still, 'chain stands', 'chains stand')} still`,
      says: [
        'No payout is prepared meanwhile: stratum-bridge ledger follow status',
        ...following.standing.map(({ chainId, trouble }) => `Chain ${chainId}: ${trouble}`),
      ],
    },
  ];
}
