/** What findings do to the alerts that are open. Pure: whoever keeps alerts asks this, with all that is open at hand. */
import { type Alert, type Condition, type Finding, keyOfSubject, MANY, type Subject } from './alerts.js';

export interface OpenAlert extends Pick<Alert, 'id' | 'condition' | 'about'> {
  /** Another bridge has found lately that it is so. */
  readonly isSeenByOthers: boolean;
}

export interface Opening extends Subject {
  readonly says: string;
  readonly account: string | undefined;
}

export interface Decisions {
  readonly opens: readonly Opening[];
  /** Found to be so again. */
  readonly confirms: readonly { readonly id: number; readonly says: string }[];
  /** Well as this bridge sees it, and not as another does. */
  readonly withdraws: readonly number[];
  readonly resolves: readonly { readonly id: number; readonly says: string }[];
}

/** More of a condition are told as one: ten thousand rigs that go at once are no ten thousand notices. */
export const MOST_OF_A_CONDITION = 20;

export function decide(open: readonly OpenAlert[], findings: readonly Finding[]): Decisions {
  const parts = groupBy(findings).map(([condition, found]) =>
    decideOn(
      condition,
      open.filter((alert) => alert.condition === condition),
      found,
    ),
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

function decideOn(condition: Condition, open: readonly OpenAlert[], findings: readonly Finding[]): Decisions {
  const byKey = new Map(open.map((alert) => [keyOfSubject(alert), alert]));
  const alertOf = (finding: Finding): OpenAlert | undefined => byKey.get(keyOfSubject(finding));
  const bad = findings.filter(({ isBad }) => isBad);
  const fresh = bad.filter((finding) => !alertOf(finding));
  const confirms = bad.flatMap((finding) => asWords(alertOf(finding), finding.says));
  const well = findings
    .filter(({ isBad }) => !isBad)
    .flatMap((finding) => {
      const alert = alertOf(finding);
      return alert ? [{ alert, finding }] : [];
    });
  const stays = well.filter(({ alert, finding }) => alert.isSeenByOthers && !finding.isShared);
  const resolves = well
    .filter((each) => !stays.includes(each))
    .map(({ alert: { id }, finding: { says } }) => ({ id, says }));
  const named = open.filter(({ about }) => about !== MANY).length - resolves.length;
  const crowd = decideOnCrowd({
    condition,
    named,
    bad,
    fresh,
    many: byKey.get(keyOfSubject({ condition, about: MANY })),
  });
  return {
    opens: crowd.opens,
    confirms: [...confirms, ...crowd.confirms],
    withdraws: stays.map(({ alert: { id } }) => id),
    resolves: [...resolves, ...crowd.resolves],
  };
}

interface Crowd {
  readonly condition: Condition;
  /** Open by name, and not resolved now. */
  readonly named: number;
  readonly bad: readonly Finding[];
  readonly fresh: readonly Finding[];
  readonly many: OpenAlert | undefined;
}

/** Too many are one alert, which is over when they are few enough to be named. */
function decideOnCrowd({ condition, named, bad, fresh, many }: Crowd): Omit<Decisions, 'withdraws'> {
  const isCrowd = many ? bad.length > MOST_OF_A_CONDITION : named + fresh.length > MOST_OF_A_CONDITION;
  if (!isCrowd) {
    const opens = fresh.map(({ about, says, account }) => ({ condition, about, says, account }));
    return { opens, confirms: [], resolves: asWords(many, `there are ${bad.length} of them now`) };
  }
  const says = crowdInWords(condition, bad);
  if (many) return { opens: [], confirms: asWords(many, says), resolves: [] };
  return { opens: [{ condition, about: MANY, says, account: undefined }], confirms: [], resolves: [] };
}

function asWords(alert: OpenAlert | undefined, says: string): { id: number; says: string }[] {
  return alert ? [{ id: alert.id, says }] : [];
}

const NAMED = 3;

function crowdInWords(condition: Condition, bad: readonly Finding[]): string {
  const names = bad.slice(0, NAMED).map(({ about }) => about);
  return `${bad.length} at once, ${condition}: ${names.join(', ')} and ${bad.length - names.length} more`;
}
