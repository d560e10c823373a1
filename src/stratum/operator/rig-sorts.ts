/** What rigs are compared by, for each sort: of a record of this bridge, and the same of a row that bridges have shown. */
import { rigKey } from '../../core/names/names.js';
import { RIG_STATES, type RigSort, type RigState } from '../../operations/enums.js';
import type { Rig } from '../../operations/rigs.js';
import type { RigRecord } from '../resume/rig-record.js';

export type SortKey = number | string;

interface At {
  readonly nowMs: number;
  stateOf(record: RigRecord): RigState;
}

interface SortKeys {
  ofRecord(record: RigRecord, at: At): SortKey;
  ofRow(rig: Rig): SortKey;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const SORT_KEYS: Readonly<Record<RigSort, SortKeys>> = {
  name: { ofRecord: ({ key }) => key.toLowerCase(), ofRow: (rig) => rigKey(rig).toLowerCase() },
  account: {
    ofRecord: ({ login }) => login.account.toLowerCase(),
    ofRow: ({ account }) => account.toLowerCase(),
  },
  state: {
    ofRecord: (record, { stateOf }) => RIG_STATES.indexOf(stateOf(record)),
    ofRow: ({ state }) => RIG_STATES.indexOf(state),
  },
  agent: { ofRecord: ({ agent }) => agent.toLowerCase(), ofRow: ({ agent }) => agent.toLowerCase() },
  hashRate: { ofRecord: (record, { nowMs }) => record.steadyRate(nowMs), ofRow: (rig) => rateOf(rig, 1) },
  rate1h: {
    ofRecord: (record, { nowMs }) => record.rateOver(HOUR_MS, nowMs),
    ofRow: (rig) => rateOf(rig, 3),
  },
  rate24h: {
    ofRecord: (record, { nowMs }) => record.rateOver(DAY_MS, nowMs),
    ofRow: (rig) => rateOf(rig, 4),
  },
  difficulty: {
    ofRecord: ({ newest }) => Number(newest?.difficulty ?? 0),
    ofRow: ({ difficulty }) => Number(difficulty ?? 0),
  },
  accepted: { ofRecord: ({ accepted }) => accepted, ofRow: ({ accepted }) => accepted },
  rejected: { ofRecord: ({ rejectedPart }) => rejectedPart, ofRow: rejectedPartOf },
  bestShare: { ofRecord: ({ bestShare }) => bestShare, ofRow: ({ bestShare }) => Number(bestShare ?? 0) },
  lastShare: {
    ofRecord: ({ lastShareAtMs }) => lastShareAtMs ?? 0,
    ofRow: ({ lastShareAt }) => msOf(lastShareAt),
  },
  sessions: { ofRecord: ({ sessions }) => sessions.length, ofRow: ({ sessions }) => sessions },
  connected: {
    ofRecord: ({ connectedAtMs }) => connectedAtMs ?? 0,
    ofRow: ({ connectedSince }) => msOf(connectedSince),
  },
};

/** @param window as `ratesOf` numbers them. */
function rateOf({ hashRates }: Rig, window: number): number {
  return hashRates[window]?.hashesPerSecond ?? 0;
}

function rejectedPartOf({ accepted, rejected: reasons }: Rig): number {
  const rejected = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  return rejected === 0 ? 0 : rejected / (rejected + accepted);
}

function msOf(time: string | null): number {
  return time === null ? 0 : Date.parse(time);
}
