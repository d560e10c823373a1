/** `ctl drain --stop` to its end: what is left is shown as it goes, and then what became of it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CommandError, OK } from '../../cli/line/command.js';
import { createLiveBlock, reflowsLines } from '../../cli/screen/terminal.js';
import { STOP_LIMIT_MS } from '../../cli/service/stop.js';
import { bridgeFolder, PRIMARY } from '../../files/bridge-folders.js';
import { lockFileOf } from '../../files/folder-lock.js';
import { DRAIN, type Drain, drain as drainOrder } from '../../operations/drain.js';
import { type AskedBridge, type OnBridge, silenceOf } from './bridge.js';
import { wordsOf } from './drain-words.js';
import { say } from './say.js';
import type { CtlDrainSettings } from './settings.js';

interface Ended {
  /** As it was last heard of. */
  readonly last: Drain;
  readonly end: 'stopped' | 'cancelled';
}

const EVERY_MS = 1_000;
/** A process may be one of another container that has the same number: it is waited for as long as a stop may take. */
const PROCESS_MS = STOP_LIMIT_MS + 5_000;

/** Begins the drain. Resolves with the exit code once the bridge has stopped; throws {@link CommandError} when it is cancelled. */
export async function drainToItsEnd(on: OnBridge<CtlDrainSettings>): Promise<number> {
  const { ask, config, io } = on;
  const pid = processAt(config.dataDir);
  const begun = (await ask(DRAIN, 'POST', drainOrder.path, { over: config.over, stop: true })).read;
  const isWatched = io.stdout.isTTY && !config.json;
  if (isWatched) say(begun, wordsOf(begun), on);
  const block = isWatched ? createLiveBlock(io.stdout, { reflows: reflowsLines(io.env) }) : undefined;
  const ended = await endOf(on, begun, (drain) => block?.draw(progress(drain))).finally(() => block?.end());
  if (ended.end === 'stopped') await untilGone(pid);
  say({ ...ended.last, end: ended.end }, ended.end === 'stopped' ? ['The bridge has stopped'] : [], on);
  if (ended.end === 'cancelled') throw new CommandError('the drain was cancelled: the bridge goes on');
  return OK;
}

/** When the life of the bridge began: whoever watches over it may start it again at once. */
async function startedAt({ ask }: AskedBridge): Promise<number> {
  const shape = z.object({ startedAt: z.string() });
  return Date.parse((await ask(shape, 'GET', '/api/v1/summary')).read.startedAt);
}

async function endOf(on: AskedBridge, begun: Drain, show: (drain: Drain) => void): Promise<Ended> {
  for (let last = begun; ; ) {
    show(last);
    await pause(EVERY_MS);
    const heard = await inTime(() => on.ask(DRAIN, 'GET', drainOrder.path));
    if (heard === 'nobody') return { last, end: 'stopped' };
    if (heard === 'silent') continue;
    // Another drain than this one, or none.
    if (heard.read.startedAt === begun.startedAt) last = heard.read;
    else {
      const livesSince = await inTime(() => startedAt(on));
      if (livesSince === 'silent') continue;
      const isNew = livesSince === 'nobody' || livesSince > Date.parse(begun.startedAt ?? '');
      return { last, end: isNew ? 'stopped' : 'cancelled' };
    }
  }
}

/** `nobody`: the socket has gone. `silent`: it is there, and the bridge does not answer by it now. */
async function inTime<T>(question: () => Promise<T>): Promise<T | 'nobody' | 'silent'> {
  try {
    return await question();
  } catch (error) {
    const silence = silenceOf(error);
    if (silence === undefined) throw error;
    return silence;
  }
}

function progress({ left, sessions, asked, unsupported, endsAt }: Drain): string[] {
  return [
    `  Sessions left: ${left} of ${sessions}; asked to go: ${asked}, cannot be asked: ${unsupported}; the bridge stops at ${endsAt} at the latest`,
    '  Ctrl-C ends this display alone; `ctl drain --cancel` ends the drain',
  ];
}

/** Of who says in the data directory that it is his, the primary before its bridges; `undefined` where nobody does whom this process can see. */
function processAt(dataDir: string): number | undefined {
  return (
    pidIn(lockFileOf(resolve(dataDir), PRIMARY)) ??
    pidIn(lockFileOf(bridgeFolder(resolve(dataDir)), 'bridge'))
  );
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return pid > 0 && isThere(pid) ? pid : undefined;
  } catch {
    // No such lock on this system: then the end of the socket is all that is seen.
    return undefined;
  }
}

/** The socket goes first; a moment later the process, with its lock of the data directory. */
async function untilGone(pid: number | undefined): Promise<void> {
  const lastMs = performance.now() + PROCESS_MS;
  while (pid !== undefined && isThere(pid) && performance.now() < lastMs) await pause(EVERY_MS / 10);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
