/** Rigs as a table, for spreadsheets: a line a rig, numbers without units. */
import type { z } from 'zod';
import { csvLine, csvText } from '../../../core/names/csv.js';
import { REJECTIONS } from '../../../core/shares/share.js';
import type { RIG } from '../schemas/schemas.js';

type Rig = z.output<typeof RIG>;

/** Minutes, and the name of the column. */
const RATES = [
  [5, 'hashesPerSecond5Minutes'],
  [60, 'hashesPerSecond1Hour'],
  [1440, 'hashesPerSecond24Hours'],
] as const;

const COLUMNS: readonly (readonly [name: string, cell: (rig: Rig) => string])[] = [
  ['account', ({ account }) => csvText(account)],
  ['rig', ({ rig }) => csvText(rig)],
  ['label', ({ label }) => csvText(label ?? '')],
  ['state', ({ state }) => state],
  ['agent', ({ agent }) => csvText(agent)],
  ...RATES.map(([minutes, name]) => [name, (rig: Rig) => rateOver(rig, minutes)] as const),
  ['difficulty', ({ difficulty }) => difficulty ?? ''],
  ['orderedDifficulty', ({ orderedDifficulty }) => orderedDifficulty ?? ''],
  ['accepted', ({ accepted }) => String(accepted)],
  ...REJECTIONS.map((reason) => [reason, ({ rejected }: Rig) => String(rejected[reason] ?? 0)] as const),
  ['bestShare', ({ bestShare }) => bestShare ?? ''],
  ['lastShareAt', ({ lastShareAt }) => lastShareAt ?? ''],
  ['sessions', ({ sessions }) => String(sessions)],
  ['connectedSince', ({ connectedSince }) => connectedSince ?? ''],
];

/** With a line of names. */
export function rigTable(rigs: readonly Rig[]): string {
  const head = csvLine(COLUMNS.map(([name]) => name));
  return head + rigs.map((rig) => csvLine(COLUMNS.map(([, cell]) => cell(rig)))).join('');
}

function rateOver({ hashRates }: Rig, minutes: number): string {
  return String(hashRates.find((rate) => rate.minutes === minutes)?.hashesPerSecond ?? '');
}
