/** The web of a bridge with 10,000 rigs: book, list and server are real; the shares alone are made up. */
import { NO_OTHERS } from '../../../src/bridge/watch/other-bridges.js';
import type { RigWatch } from '../../../src/bridge/watch/rig-watch.js';
import { SILENT } from '../../../src/core/names/log.js';
import { RigList } from '../../../src/stratum/operator/rig-list.js';
import { RigBook } from '../../../src/stratum/resume/rig-book.js';
import type { RigSession } from '../../../src/stratum/resume/rig-record.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer, type WebServer } from '../../../src/web/server.js';
import { idleBridge } from './idle-bridge.js';
import { RULES } from './operators.js';
import { ROOT } from './pages.js';

export const MANY_RIGS = 10_000;
/** What one of them calls itself. */
export const HOSTILE = '<img src=x onerror="window.ran=1">';

const ADDRESS = '192.0.2.1';

/** Fastest first: rig-0 is the fastest, and the latest to be heard. Each third one is connected, rig-3 twice. */
function fill(book: RigBook, nowMs: number): void {
  const session: RigSession = {
    openedAtMs: nowMs - 3_600_000,
    cameFrom: { host: ADDRESS, port: 'tcp' },
    answeredAtMs: nowMs,
    agent: 'asic/1',
    difficulty: undefined,
    report: () => {
      throw new Error('nobody looks at a session');
    },
  };
  for (let i = 0; i < MANY_RIGS; i++) {
    const account = `k:${(i % 50).toString(16).padStart(64, '0')}`;
    const login = { account, rig: i === 4321 ? HOSTILE : `rig-${i}` };
    const share = {
      ...{ difficulty: (MANY_RIGS - i) * 1e11, reached: i + 1, nextDifficulty: undefined },
      addressKey: ADDRESS,
    };
    book.share(book.recordOf(login), { ...share, sinceMs: nowMs - 3_600_000 }, nowMs - i);
    if (i % 3 === 0) book.entered(login, session, ADDRESS);
    if (i === 3) book.entered(login, { ...session, openedAtMs: nowMs - 7_200_000 }, ADDRESS);
    if (i === 1234) for (let times = 0; times < 3; times++) book.rejected(login, 'stale', nowMs);
  }
}

/** Its clock stands still, so that the list is the same for who looks later. */
export async function startManyRigs(): Promise<WebServer> {
  const nowMs = Date.now();
  const { events, sources: idle } = idleBridge();
  const rigBook = new RigBook({ limits: { remembered: MANY_RIGS }, accounts: { areProven: false } });
  fill(rigBook, nowMs);
  const list = new RigList({
    ...{ rigBook, ordered: { of: () => undefined }, labels: { of: () => undefined } },
    ...{ isBanned: () => false, others: () => NO_OTHERS, nowMs: () => nowMs },
  });
  const rigs: RigWatch = { ...idle.rigs, rigs: (query) => list.list(query) };
  const sources = { ...idle, rigs };
  return startWebServer({
    ...{ host: '127.0.0.1', port: 0, sources, log: SILENT, access: () => RULES },
    metrics: createMetrics(events, sources),
    built: new URL(`file://${ROOT}dist/src/web/`),
  });
}
