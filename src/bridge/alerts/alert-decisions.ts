/** What findings do to the alerts that are open. Pure: whoever keeps alerts asks this, with all that is open at hand. */
import { type Alert, type Condition, type Finding, keyOfSubject, MANY, type Subject } from './alerts.js';

export interface OpenAlert extends Pick<Alert, 'id' | 'condition' | 'about' | 'openedAtMs'> {
  /** Opened within the last ten minutes. */
  readonly isRecent: boolean;
  /** Another bridge has found lately that it is so. */
  readonly isSeenByOthers: boolean;
  /** The same, in one of its latest looks. */
  readonly isSeenJustNow: boolean;
}

export interface Opening extends Subject {
  readonly says: string;
  readonly account: string | undefined;
}

interface Words {
  readonly id: number;
  readonly says: string;
}

export interface Decisions {
  readonly opens: readonly Opening[];
  /** Found to be so again. */
  readonly confirms: readonly Words[];
  /** Well as this bridge sees it, and not as another does. */
  readonly withdraws: readonly number[];
  readonly resolves: readonly Words[];
}

/** More of a condition within ten minutes are told as one: ten thousand rigs that go at once are no ten thousand notices. */
export const MOST_OF_A_CONDITION = 20;
/** Open by name. More are one alert, whenever they began. */
export const MOST_NAMED = 200;

/** @param more true of so many subjects besides, which are not among the findings. */
export function decide(
  open: readonly OpenAlert[],
  findings: readonly Finding[],
  more: ReadonlyMap<Condition, number> = new Map(),
): Decisions {
  const parts = groupBy(findings).map(([condition, found]) =>
    decideOn({
      ...{ condition, found, more: more.get(condition) ?? 0 },
      open: open.filter((alert) => alert.condition === condition),
    }),
  );
  return {
    opens: parts.flatMap(({ opens }) => opens),
    confirms: parts.flatMap(({ confirms }) => confirms),
    withdraws: parts.flatMap(({ withdraws }) => withdraws),
    resolves: parts.flatMap(({ resolves }) => resolves),
  };
}

function groupBy(findings: readonly Finding[]): [Condition, Finding[]][] {
  const groups = new Map<Condition, Map<string, Finding>>();
  for (const finding of findings) {
    const group = groups.get(finding.condition) ?? new Map<string, Finding>();
    groups.set(finding.condition, group.set(finding.about, finding));
  }
  return [...groups].map(([condition, found]) => [condition, [...found.values()]]);
}

/** Of one condition. */
interface Case {
  readonly condition: Condition;
  readonly open: readonly OpenAlert[];
  readonly found: readonly Finding[];
  readonly more: number;
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
  const words = ({ alert: { id }, finding: { says } }: (typeof known)[number]): Words => ({ id, says });
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
  { condition, open, found, more }: Case,
  over: ReadonlySet<OpenAlert>,
): Omit<Decisions, 'withdraws'> {
  const many = open.find(({ about }) => about === MANY);
  const named = open.filter((alert) => alert !== many && !over.has(alert));
  const names = new Set(named.map(({ about }) => about));
  const lately = named.filter(({ isRecent }) => isRecent).length;
  const areFew = (count: number): boolean =>
    lately + count <= MOST_OF_A_CONDITION && named.length + count <= MOST_NAMED;
  const unnamed = found.filter(({ isBad, about }) => isBad && !names.has(about));
  const count = unnamed.length + more;
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
  const opens = [{ condition, about: MANY, says, account: undefined }];
  return { opens, confirms: [], resolves: [] };
}

function openingOf({ condition, about, says, account }: Finding): Opening {
  return { condition, about, says, account };
}

const NAMED = 3;

function crowdInWords(condition: Condition, some: readonly Finding[], count: number): string {
  const names = some.slice(0, NAMED).map(({ about }) => about);
  const others = count > names.length ? ` and ${count - names.length} more` : '';
  return `${count} at once, ${condition}: ${names.join(', ')}${others}`;
}
