/** What the rigs' side shows of itself, as the API writes it. */
import type { z } from 'zod';
import type { Ban } from '../../../bridge/orders/steering.js';
import type { AccountReport, RigDetail, RigReport, SessionReport } from '../../../bridge/watch/rig-watch.js';
import type { HashRate } from '../../../core/shares/hash-rate.js';
import type { ACCOUNT, BAN, RIG, RIG_DETAIL, SESSION } from '../schemas/schemas.js';

/** An address as whoever asks may see it. */
export type Shown = (address: string) => string;

export function showAccount({
  account,
  sessions,
  hashRates,
  lastShareAtMs,
}: AccountReport): z.output<typeof ACCOUNT> {
  return { account, sessions, hashRates: showRates(hashRates), lastShareAt: iso(lastShareAtMs) };
}

export function showRig(report: RigReport): z.output<typeof RIG> {
  const { account, rig, state, sessions, agent, accepted, rejections } = report;
  return {
    ...{ account, rig, state, sessions, agent, accepted },
    label: report.label ?? null,
    connectedSince: isoOrNull(report.connectedAtMs),
    difficulty: hashes(report.difficulty),
    orderedDifficulty: hashes(report.orderedDifficulty),
    hashRates: showRates(report.hashRates),
    rejected: { ...rejections },
    bestShare: best(report.bestShare),
    lastShareAt: isoOrNull(report.lastShareAtMs),
  };
}

export function showDetail({ rig, sessions }: RigDetail, address: Shown): z.output<typeof RIG_DETAIL> {
  return { rig: showRig(rig), sessions: sessions.map((session) => showSession(session, address)) };
}

export function showSession(report: SessionReport, address: Shown): z.output<typeof SESSION> {
  const { id, transport, peer, agent, logins, openedAtMs, chainId, difficulty, hashRates } = report;
  return {
    id,
    transport,
    port: report.port ?? null,
    peer: address(peer),
    agent,
    logins: logins.map(({ account, rig }) => ({ account, rig })),
    openedAt: iso(openedAtMs),
    chainId: chainId ?? null,
    difficulty: hashes(difficulty),
    hashRates: showRates(hashRates),
    accepted: report.accepted,
    rejected: { ...report.rejections },
    bestShare: best(report.bestShare),
  };
}

export function showBan(ban: Ban, address: Shown): z.output<typeof BAN> {
  const { id, kind, login, reason, sinceMs, untilMs, by } = ban;
  return {
    id,
    kind,
    ...(login === '' ? {} : { login }),
    ...(ban.address === '' ? {} : { address: address(ban.address) }),
    reason,
    since: iso(sinceMs),
    until: isoOrNull(untilMs),
    by: by === '' ? null : by,
  };
}

/** As `HASH_RATE` of fields.ts has them. */
export function showRates(rates: readonly HashRate[]) {
  return rates.map(({ windowMs, hashesPerSecond, standardError }) => ({
    minutes: windowMs / 60_000,
    hashesPerSecond: Math.round(hashesPerSecond),
    standardError: Math.round(standardError),
  }));
}

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
const hashes = (difficulty: bigint | undefined): string | null =>
  difficulty === undefined ? null : String(difficulty);
/** A double, without the digits that it does not know. */
const best = (reached: number): string | null => (reached === 0 ? null : String(BigInt(Math.round(reached))));
