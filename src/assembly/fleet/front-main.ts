/** What a front runs: it waits for the hub to say what it is to be, and ends with the hub. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Beat } from '../../bridge/fleet/ports.js';
import { CloseStack, STOP_LIMIT_MS } from '../../cli/service/stop.js';
import { findHub, type Hello, PROTOCOL } from '../../fleet/channel/attach.js';
import { Channel } from '../../fleet/channel/channel.js';
import {
  BALANCE,
  DESK,
  FRONT_STATE,
  FRONT_WATCH,
  STATE,
  STEERING,
  WATCH_DESK,
  WORKS,
} from '../../fleet/channel/contracts.js';
import { onGone } from '../../fleet/channel/gone.js';
import { wireOf } from '../../fleet/channel/process-wire.js';
import { handOverTo, onHanded } from '../../fleet/channel/sockets-wire.js';
import { LogLines } from '../../fleet/front/log-lines.js';
import { type RunningFront, startFront } from './front.js';
import { type FrontStart, LIFE } from './life.js';

const BEAT_MS = 1_000;
const LOAD_MS = 250;
/** A bridge starts within this time, or not at all. */
const NEXT_HUB_MS = 60_000;

/** A signal of the terminal goes to all processes of the bridge: the hub says what to do. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const channel = new Channel(wireOf(process));
const giveAway = handOverTo(process);
const desk = channel.remote(DESK);
const watchDesk = channel.remote(WATCH_DESK);
const log = new LogLines((lines) => desk.log(lines));
const open = new CloseStack();
let front: RunningFront | undefined;
let started: FrontStart | undefined;
let stopping: Promise<void> | undefined;
/** Where it is found, once the hub has said that it goes. */
let nextHub: string | undefined;

channel.offer(LIFE, {
  begin: async (start) => {
    started = start;
    log.level = start.config['log.level'];
    front = await startFront(start, { desk, state: channel.remote(STATE), log, open, giveAway });
    channel.offer(WORKS, front.works);
    channel.offer(BALANCE, front.overflow);
    channel.offer(FRONT_WATCH, front.rigs.server.frontWatch);
    channel.offer(STEERING, front.rigs.server.steering);
    if (front.rigs.server.front) channel.offer(FRONT_STATE, front.rigs.server.front);
    beatFor(front);
  },
  applyLive: async (config) => {
    log.level = config['log.level'];
    return (await front?.applyLive(config)) ?? [];
  },
  leave: async (overMs) => front?.rigs.server.leave(overMs),
  awaitHub: async (path) => {
    nextHub = path;
  },
  stop: (withinMs) => stop(withinMs),
});
onGone(process, () => void orphaned());

onHanded(process, (port, socket) => {
  if (front) front.rigs.server.take(port, socket);
  else socket.destroy();
});

/** Without a hub nobody hands out work, takes solutions, or says when to end: for a while a front that is told so goes on all the same. */
async function orphaned(): Promise<void> {
  const path = nextHub;
  nextHub = undefined;
  const hub = path !== undefined && !stopping ? await findHub(path, hello(), NEXT_HUB_MS) : undefined;
  if (!hub || stopping) {
    await stop(STOP_LIMIT_MS).finally(() => process.exit());
    return;
  }
  channel.rewire(hub);
  hub.onEnd(() => void orphaned());
}

function hello(): Hello {
  const { pid } = process;
  return { front: started?.index ?? 0, pid, protocol: PROTOCOL, instance: front?.works.instance };
}

function stop(withinMs: number): Promise<void> {
  stopping ??= open.close(log, withinMs).finally(() => log.flush());
  return stopping;
}

function beatFor({ rigs, crowds, shares, news }: RunningFront): void {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  const beat = (): void => {
    const { user, system } = process.cpuUsage();
    desk.beat({
      sessions: rigs.server.sessions,
      ports: Object.fromEntries(rigs.server.ports.map(({ name, sessions }) => [name, sessions])),
      crowds: [...crowds.counts],
      rssBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
      loopDelayMs: delays.max / 1e6,
      ...shares.held,
    } satisfies Beat);
    delays.reset();
    watchDesk.take(news.take(rigs.server.watch));
  };
  const recent = monitorEventLoopDelay({ resolution: 10 });
  recent.enable();
  const load = (): void => {
    desk.load({ sessions: rigs.server.sessions, delayMs: Math.round(recent.max / 1e6) });
    recent.reset();
  };
  const loading = setInterval(load, LOAD_MS);
  open.add('load', () => clearInterval(loading));
  const timer = setInterval(beat, BEAT_MS);
  open.add('beat', () => clearInterval(timer));
}
