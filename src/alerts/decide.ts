/** What findings do to the alerts that are open. Pure: the ledger asks this, with all that is open at hand. */
import {
  type Decisions,
  type Finding,
  keyOfSubject,
  type Line,
  MANY,
  type OpenAlert,
  type Opening,
} from '../bridge/alerts.js';
import { loginText } from '../core/names/names.js';
import { EVENTS } from './judge.js';

/** More of a condition within ten minutes are told as one: ten thousand rigs that go at once are no ten thousand notices. */
export const MOST_OF_A_CONDITION = 20;
/** Open by name. More are one alert, whenever they began. */
export const MOST_NAMED = 200;

export function decide(open: readonly OpenAlert[], findings: readonly Finding[]): Decisions {
  const parts = groupBy(findings).map(([condition, found]) =>
    decideOn({ condition, found, open: open.filter((alert) => alert.condition === condition) }),
  );
  return {
    opens: parts.flatMap(({ opens }) => opens),
    confirms: parts.flatMap(({ confirms }) => confirms),
    withdraws: parts.flatMap(({ withdraws }) => withdraws),
    resolves: parts.flatMap(({ resolves }) => resolves),
  };
}

function groupBy(findings: readonly Finding[]): [string, Finding[]][] {
  const groups = new Map<string, Map<string, Finding>>();
  for (const finding of findings) {
    const group = groups.get(finding.condition) ?? new Map<string, Finding>();
    groups.set(finding.condition, group.set(finding.about, finding));
  }
  return [...groups].map(([condition, found]) => [condition, [...found.values()]]);
}

/** Of one condition. */
interface Case {
  readonly condition: string;
  readonly open: readonly OpenAlert[];
  readonly found: readonly Finding[];
}

function decideOn(one: Case): Decisions {
  const byKey = new Map(one.open.map((alert) => [keyOfSubject(alert), alert]));
  const known = one.found.flatMap((finding) => {
    const alert = byKey.get(keyOfSubject(finding));
    return alert ? [{ alert, finding }] : [];
  });
  const well = known.filter(({ finding }) => !finding.isBad);
  const stays = well.filter(({ alert, finding }) =>
    finding.isShared ? alert.isSeenJustNow : alert.isSeenByOthers,
  );
  const over = well.filter((each) => !stays.includes(each));
  const words = ({ alert: { id }, finding: { says } }: (typeof known)[number]) => ({ id, says });
  const crowd = decideOnCrowd(one, new Set(over.map(({ alert }) => alert)));
  return {
    opens: crowd.opens,
    confirms: [...known.filter(({ finding }) => finding.isBad).map(words), ...crowd.confirms],
    withdraws: stays.map(({ alert: { id } }) => id),
    resolves: [...over.map(words), ...crowd.resolves],
  };
}

/**
 * Which are told by name. Too many are one alert, which is over when they are few enough to be named. Who began after that was told
 * is no part of it: else those that never come back would hide for days who goes next.
 */
function decideOnCrowd(
  { condition, open, found }: Case,
  over: ReadonlySet<OpenAlert>,
): Omit<Decisions, 'withdraws'> {
  const many = open.find(({ about }) => about === MANY);
  const named = open.filter((alert) => alert !== many && !over.has(alert));
  const names = new Set(named.map(({ about }) => about));
  const lately = named.filter(({ isRecent }) => isRecent).length;
  const areFew = (count: number): boolean =>
    lately + count <= MOST_OF_A_CONDITION && named.length + count <= MOST_NAMED;
  const unnamed = found.filter(({ isBad, about }) => isBad && !names.has(about));
  const count = unnamed.reduce((sum, each) => sum + (each.count ?? 1), 0);
  if (count === 0 || areFew(count)) {
    const resolves = many ? [{ id: many.id, says: `there are ${count} of them now` }] : [];
    return { opens: unnamed.map(openingOf), confirms: [], resolves };
  }
  const later = unnamed.filter(({ sinceMs }) => many && sinceMs !== undefined && sinceMs > many.openedAtMs);
  const says = crowdInWords(condition, unnamed, count);
  if (many) {
    const opens = areFew(later.length) ? later.map(openingOf) : [];
    return { opens, confirms: [{ id: many.id, says }], resolves: [] };
  }
  const opens = unnamed.slice(0, 1).map(({ severity }) => ({ condition, about: MANY, severity, says }));
  return { opens, confirms: [], resolves: [] };
}

function openingOf({ condition, about, severity, says }: Finding): Opening {
  return { condition, about, severity, says };
}

const NAMED = 3;

function crowdInWords(condition: string, some: readonly Finding[], count: number): string {
  const names = some.slice(0, NAMED).map(({ about }) => about);
  const others = count > names.length ? ` and ${count - names.length} more` : '';
  return `${count} at once, ${condition}: ${names.join(', ')}${others}`;
}

/** What is told of events; of too many of a kind at once, how many. */
export function openingsOf(lines: readonly Line[]): Opening[] {
  return EVENTS.flatMap(({ condition, severity, kind, many }): Opening[] => {
    const those = lines.filter((line) => line.kind === kind);
    if (those.length <= MOST_OF_A_CONDITION)
      return those.map((line) => ({ condition, severity, ...eventInWords(line) }));
    return [{ condition, severity, about: MANY, says: `${those.length} ${many}` }];
  });
}

function eventInWords({ kind, says, facts }: Line): Pick<Opening, 'about' | 'says'> {
  const text = (name: string): string => String(facts[name] ?? '');
  const about = `chain ${text('chainId')} height ${text('height')}`;
  const finder = loginText({ account: text('account'), rig: text('rig') });
  const reward = facts['reward'] ? `, and pays ${text('reward')}` : '';
  return { about, says: kind === 'blockAccepted' ? `${says}, found by ${finder}` : `${says}${reward}` };
}
