/**
 * The processes of the stratum benchmark: a server to be measured, and the load on it. Started by `stratum.ts`, told
 * what to do by messages, and ended by it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { type ChainsOptions, chainsNode, type FollowingOptions, followingBridge } from '../follow-peers.js';
import { payoutsNode } from '../payouts/payouts-node.js';
import { type Calls, nowNs, processorMs, settledRssBytes } from '../peer.js';
import { cutNode } from '../upstream/cut-node.js';
import { bareLoop, bareLoops, easyNode, oneRigBridge } from '../upstream/one-rig-peers.js';
import { type DurableOptions, durableServer } from './durable-server.js';
import { becomeReady, Client, submitLine } from './stratum-client.js';
import { stratumServer } from './stratum-server.js';
import { tickedServer } from './stratum-ticks.js';
import { streamReaders } from './stream-readers.js';
import { type WatchedOptions, watchedServer } from './watched-server.js';

/** `{"call":"fanOut","args":[…]}`, answered by `{"result":…}`; one at a time. */
export interface Call {
  readonly call: string;
  readonly args: readonly unknown[];
}

const NOTIFY_BYTES = 650;

/** A bare `ws` server: echoes what comes, and sends one text to all in a loop. */
function bareServer(): Calls {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))));
  return {
    port: () => (server.address() as { port: number }).port,
    jobIds: () => ['1'],
    rssBytes: settledRssBytes,
    processorMs,
    fanOut: (number: number) => {
      const startedNs = nowNs();
      const text = JSON.stringify({ number }).padEnd(NOTIFY_BYTES);
      for (const client of server.clients) client.send(text);
      return { startedNs, writtenNs: nowNs() };
    },
  };
}

function loadGenerator(): Calls {
  const clients: Client[] = [];
  return {
    open: async (port: number, count: number, kind: 'bare' | 'ready') => {
      // Each is made ready as soon as it is open: the bridge does not wait long for the first message.
      const openOne = async (): Promise<Client> => {
        const client = await Client.open(port);
        if (kind === 'ready') await becomeReady(client);
        return client;
      };
      while (clients.length < count) {
        const batch = Array.from({ length: Math.min(200, count - clients.length) }, openOne);
        clients.push(...(await Promise.all(batch)));
      }
      for (const client of clients) client.onFrame = () => undefined;
    },
    /** One accepted share of each. */
    mineOnce: (jobId: string) =>
      Promise.all(clients.map((client) => mineOnce(client, jobId))).then(() => undefined),
    /** Resolves with when each client had the whole of the next frame. */
    awaitFrames: async () => {
      const arrivals: number[] = [];
      await new Promise<void>((resolve) => {
        for (const client of clients) {
          client.onFrame = () => {
            client.onFrame = () => undefined;
            if (arrivals.push(nowNs()) === clients.length) resolve();
          };
        }
        process.send?.({ armed: true });
      });
      return arrivals;
    },
    submit: (jobIds: readonly string[], senders: number, window: number, forMs: number) =>
      exchange(clients.slice(0, senders), jobIds, window, forMs),
    flood: (jobId: string, forMs: number) => flood(clients, jobId, forMs),
    storm,
    pace: (jobId: string, forMs: number) => pace(clients, jobId, forMs),
    mine: (jobId: string, perSecond: number, forMs: number) => mine(clients, jobId, perSecond, forMs),
    close: () => {
      for (const client of clients.splice(0)) client.socket.destroy();
    },
  };
}

function mineOnce(client: Client, jobId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.onFrame = (payload) => {
      if (payload.includes('"result":true')) resolve();
      else reject(new Error(`a share was refused: ${payload}`));
      client.onFrame = () => undefined;
    };
    client.send(submitLine(client.login, jobId));
  });
}

/** Keeps so many submits of each sender under way; resolves with good answers a second: a refusal is none. */
async function exchange(
  senders: readonly Client[],
  jobIds: readonly string[],
  window: number,
  forMs: number,
): Promise<{ readonly perSecond: number; readonly refused: number }> {
  let [answers, refused, next] = [0, 0, 0];
  let running = true;
  const submit = (client: Client): void =>
    client.send(submitLine(client.login, jobIds[next++ % jobIds.length] ?? ''));
  for (const client of senders) {
    client.onFrame = (payload) => {
      // What a bare server echoes is the submit itself.
      if (payload.includes('"result":true') || payload.includes('mining.submit')) answers++;
      else if (payload.includes('"result":false')) refused++;
      else return;
      if (running) submit(client);
    };
    for (let i = 0; i < window; i++) submit(client);
  }
  await sleep(forMs / 4);
  const startedNs = nowNs();
  answers = 0;
  await sleep(forMs);
  const perSecond = (answers * 1e9) / (nowNs() - startedNs);
  running = false;
  await sleep(200);
  return { perSecond, refused };
}

/** The first client sends as fast as it can. */
async function flood([flooder]: readonly Client[], jobId: string, forMs: number): Promise<void> {
  const untilMs = Date.now() + forMs;
  while (flooder && Date.now() < untilMs) {
    for (let i = 0; i < 200 && flooder.socket.writableLength < 1e6; i++)
      flooder.send(submitLine(flooder.login, jobId));
    await sleep(0);
  }
}

/** So many rigs a second that connect, become ready and are gone; resolves with how many became ready. */
async function storm(port: number, perSecond: number, forMs: number): Promise<number> {
  const untilMs = Date.now() + forMs;
  const visits: Promise<void>[] = [];
  let ready = 0;
  const visit = async (): Promise<void> => {
    const client = await Client.open(port);
    await becomeReady(client);
    ready++;
    client.socket.destroy();
  };
  for (let startedMs = Date.now(); Date.now() < untilMs; await sleep(5)) {
    const due = ((Date.now() - startedMs) * perSecond) / 1000;
    while (visits.length < due) visits.push(visit());
  }
  await Promise.all(visits);
  return ready;
}

/** All clients submit at a rig's pace; resolves with their waits in milliseconds. */
async function pace(clients: readonly Client[], jobId: string, forMs: number): Promise<number[]> {
  const waits: number[] = [];
  const sentNs = new Map<Client, number>();
  for (const client of clients) {
    client.onFrame = () => {
      const sent = sentNs.get(client);
      if (sent !== undefined) waits.push((nowNs() - sent) / 1e6);
      sentNs.delete(client);
    };
  }
  const untilMs = Date.now() + forMs;
  for (let turn = 0; Date.now() < untilMs; turn++) {
    const client = clients[turn % clients.length];
    if (client && !sentNs.has(client)) {
      sentNs.set(client, nowNs());
      client.send(submitLine(client.login, jobId));
    }
    await sleep(1);
  }
  await sleep(500);
  return waits;
}

/** All clients together submit so many a second, for the newest job that any of them got; resolves with answers a second. */
async function mine(clients: readonly Client[], jobId: string, perSecond: number, forMs: number) {
  let newest = jobId;
  let answers = 0;
  for (const client of clients) {
    client.onFrame = (payload) => {
      if (payload.includes('"result"')) answers++;
      else newest = /"mining.notify","params":\["(\w+)"/.exec(String(payload))?.[1] ?? newest;
    };
  }
  const startedMs = performance.now();
  for (let sent = 0, passedMs = 0; passedMs < forMs; passedMs = performance.now() - startedMs) {
    for (; sent < (passedMs / 1000) * perSecond; sent++) {
      const client = clients[sent % clients.length];
      client?.send(submitLine(client.login, newest));
    }
    await sleep(5);
  }
  return (answers / forMs) * 1000;
}

const ROLES: Readonly<Record<string, () => Calls | Promise<Calls>>> = {
  bare: bareServer,
  stratum: () => stratumServer({}),
  limited: () => stratumServer({ limited: true }),
  watched: () => watchedServer(JSON.parse(process.argv[3] ?? '{}') as WatchedOptions),
  ticked: tickedServer,
  readers: streamReaders,
  durable: () => durableServer(JSON.parse(process.argv[3] ?? '{}') as DurableOptions),
  load: loadGenerator,
  'easy-node': easyNode,
  'cut-node': cutNode,
  'one-rig-bridge': () =>
    oneRigBridge(JSON.parse(process.argv[3] ?? '{}') as { url?: string; chains?: number }),
  'bare-loops': () => bareLoops(JSON.parse(process.argv[3] ?? '{}') as { port?: number; chains?: number }),
  'bare-loop': () => bareLoop(JSON.parse(process.argv[3] ?? '{}') as { port?: number }),
  chainsNode: () => chainsNode(JSON.parse(process.argv[3] ?? '{}') as ChainsOptions),
  payoutsNode,
  followingBridge: () => followingBridge(JSON.parse(process.argv[3] ?? '{}') as FollowingOptions),
};

const calls = await ROLES[process.argv[2] ?? '']?.();
if (!calls) throw new Error(`no role ${process.argv[2]}`);
process.on('message', async ({ call, args }: Call) => {
  process.send?.({ result: await calls[call]?.(...(args as never[])) });
});
process.send?.({ ready: true });
