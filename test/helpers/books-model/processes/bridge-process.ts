/**
 * A bridge of which rigs and nodes are made up, and all between them and the books is real: share log, queue, recorder, and the chores of the ledger
 * where it leads. Argument: {@link BridgeStart} as JSON. It tells its parent what it has promised, until it is stopped or killed.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LogLedger } from '../../../../src/bridge/ports.js';
import { SILENT } from '../../../../src/core/names/log.js';
import type { Solution } from '../../../../src/core/shares/share.js';
import { startLeader } from '../../../../src/ledger/database/leader.js';
import { upkeepChores } from '../../../../src/ledger/history/upkeep.js';
import { openLedger } from '../../../../src/ledger/ledger.js';
import { rulesFor } from '../../../../src/ledger/rules/bridge-rules.js';
import { REWARD_RULES } from '../../../../src/ledger/rules/rule-table.js';
import { settlementChores } from '../../../../src/ledger/settlement/settlement.js';
import { startShareRecorder } from '../../../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../../../src/queue/share-queue.js';
import { signRoot } from '../../books/root-key.js';
import { append, makeShare } from '../../rigs/shares.js';
import { solutionOf } from './blocks.js';
import { fastMs, goByFastTime, SPEED } from './fast-time.js';
import { type BridgeStart, type Find, type Order, rigName, WORKS, type Word } from './words.js';

const RIGS = 4;
const REST_MS = 300;
/** As in src/assembly/books/queue.ts. */
const HEARD_MS = 500;
/** What goes by the ledger's time is as much faster, and what is lost is shipped again within a history. */
const LIMITS = {
  ...SHARE_QUEUE_LIMITS,
  ...{ shipMs: 50, heartbeatMs: 5_000 / SPEED, idleMs: 60_000 / SPEED, renewMs: 10_000 / SPEED },
  ...{ againMs: 1_500, addTimeoutMs: 500, keepMs: 0, segmentBytes: 20_000 },
};
const TURN_MS = 2_000;
const CLOSE_MS = 2_000;

const start = JSON.parse(process.argv[2] ?? '') as BridgeStart;
const say = (word: Word): void => void process.send?.(word);
const orders: Order[] = [];
let obey = (order: Order): void => void orders.push(order);
process.on('message', (order: Order) => obey(order));

let { aheadMs } = start;
const nowMs = (): number => fastMs(start.clock) + aheadMs;
const ledger = await openLedger({ connectionString: start.databaseUrl, log: SILENT, waits: true });
await goByFastTime(ledger);
const answered = ledger.ready.then(() => ledger.id()).then(() => true);
const isTimeKnown = await Promise.race([answered, pause(HEARD_MS, false)]).catch(() => false);
if (isTimeKnown) aheadMs = 0;

let logs = 0;
/** The second one begins with the first word of the ledger. */
function newLogId(): string {
  const log = randomUUID();
  const isFirst = logs++ === 0;
  if (!isFirst) aheadMs = 0;
  say({ word: 'log', log, atMs: nowMs(), isRight: aheadMs === 0 });
  return log;
}

/** Tells what the ledger was told. */
const named: LogLedger = {
  id: () => ledger.id(),
  renewLogs: async (all, place) => {
    const areWaitedFor = await ledger.renewLogs(all, place);
    say({ word: 'named', logs: all, atMs: fastMs(start.clock) });
    return areWaitedFor;
  },
  missingEntries: (...given) => ledger.missingEntries(...given),
  conflictingEntries: (...given) => ledger.conflictingEntries(...given),
  giveUpEntries: (...given) => ledger.giveUpEntries(...given),
};

const recorder = startShareRecorder({
  ...{ connection: start.queue, ledger, log: SILENT, lockMs: 30_000 / SPEED },
});
const queue = await openShareQueue({
  ...{ connection: start.queue, folder: start.dataDir, ledger: named, place: start.dataDir, log: SILENT },
  ...{ newLogId, nowMs, isTimeKnown, limits: LIMITS },
});
const rules = rulesFor(ledger.pool, REWARD_RULES, 'a bridge');
const chores = [
  ...settlementChores({ pool: ledger.pool, rules, signRoot, log: SILENT }),
  ...upkeepChores(ledger.pool, rules),
];
const leader = startLeader(ledger.pool, {
  chores: chores.map((chore) => ({
    name: chore.name,
    everyMs: (chore.everyMs ?? 0) / SPEED,
    run: (signal) => chore.run(signal),
  })),
  ...{ log: SILENT, after: queue.announced, intervalMs: TURN_MS / SPEED },
});

let next = start.first;
let place = 0;
let isResting = false;

async function submit(account: string, work: bigint): Promise<void> {
  const number = next++;
  const written = { number, log: queue.logId, place: ++place, atMs: nowMs() };
  const rig = rigName({ number, account, work });
  await append(queue, makeShare({ account, rig, difficulty: work, acceptedAtMs: written.atMs })).then(
    () => say({ word: 'accepted', ...written }),
    () => say({ word: 'refused', ...written }),
  );
}

async function mine(): Promise<void> {
  while (!isResting) {
    await submit(oneOf(start.accounts), oneOf(WORKS));
    await pause(REST_MS * Math.random());
  }
}

function oneOf<T>(all: readonly T[]): T {
  return all[Math.floor(all.length * Math.random())] as T;
}

/** It is a share too. */
async function find({ answer, ...found }: Find): Promise<void> {
  const share = submit(found.account, WORKS[0]);
  const written = { number: found.number, log: queue.logId, place: ++place, atMs: nowMs() };
  const solution: Solution = solutionOf(found, written.atMs);
  await queue.recordSolution(solution, 'found', '');
  say({ word: 'found', ...written });
  await share;
  if (!answer) return;
  await queue.recordSolution(solution, answer, '');
  say({ word: 'answered', number: found.number, state: answer, atMs: nowMs() });
}

/** Rigs go on until it is closed, and hear that their shares are refused. */
async function stop(): Promise<void> {
  await leader.close();
  await queue.close(CLOSE_MS);
  isResting = true;
  await mining;
  await recorder.close(CLOSE_MS / 2);
  await ledger.close(CLOSE_MS / 2);
  // What was said is heard before it ends.
  process.send?.({ word: 'resting' } satisfies Word, () => process.exit(0));
}

async function rest(): Promise<void> {
  isResting = true;
  await mining;
  say({ word: 'resting' });
}

for (const { state, solution } of queue.earlierSolutions)
  if (state === 'found') void queue.keepWord(solution, 'received', '').catch(() => {}); // it ends before that
const mining = Promise.all(Array.from({ length: RIGS }, mine));
obey = (order) => {
  // What the disk did not take before the end was promised to nobody.
  if ('find' in order) void find(order.find).catch(() => {});
  else void (order.order === 'stop' ? stop() : rest());
};
orders.forEach(obey);
say({ word: 'up' });
