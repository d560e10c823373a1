/** One of the loads of the fleet benchmark: rigs that come back when they lose their connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Calls, nowNs } from '../peer.js';
import { becomeReady, Client, jobIdIn, submitLine } from '../stratum/stratum-client.js';

/** Connections that are opened at a time. */
const AT_A_TIME = 100;

export function fleetLoad(): Calls {
  const clients: Client[] = [];
  let [port, address, isReady] = [0, '127.0.0.1', true];
  let lost = 0;
  let lastBackNs = 0;
  const openOne = async (at: number): Promise<void> => {
    const client = await Client.open(port, address);
    if (isReady) await becomeReady(client);
    client.onFrame = (payload) => keepJob(client, payload);
    clients[at] = client;
    client.socket.once('close', () => void comeBack(at));
  };
  const comeBack = async (at: number): Promise<void> => {
    lost++;
    for (;;) {
      // As rigs do: not all in the same moment.
      await sleep(Math.random() * 1000);
      try {
        await openOne(at);
        break;
      } catch {
        // Refused or cut again; it tries on, and the benchmark waits for it.
      }
    }
    lost--;
    lastBackNs = nowNs();
  };
  return {
    open: async (at: number, from: string, count: number, ready: boolean) => {
      [port, address, isReady] = [at, from, ready];
      for (let first = 0; first < count; first += AT_A_TIME)
        await Promise.all(
          Array.from({ length: Math.min(AT_A_TIME, count - first) }, (_, i) => openOne(first + i)),
        );
    },
    /** Resolves with when each client had the next frame. */
    awaitFrames: async () => {
      const arrivals: number[] = [];
      await new Promise<void>((resolve) => {
        for (const client of clients)
          client.onFrame = (payload) => {
            keepJob(client, payload);
            client.onFrame = (next) => keepJob(client, next);
            if (arrivals.push(nowNs()) === clients.length) resolve();
          };
        process.send?.({ armed: true });
      });
      return arrivals;
    },
    /** Each has one submit under way; resolves with good answers a second. */
    submit: async (forMs: number) => {
      let [answers, refused, isRunning] = [0, 0, true];
      for (const client of clients) {
        const submit = (): void => client.send(submitLine(client.login, client.jobId));
        client.onFrame = (payload) => {
          const job = jobIdIn(payload);
          if (job) client.jobId = job;
          else {
            if (payload.includes('"result":true') || payload.includes('mining.submit')) answers++;
            else if (payload.includes('"result":false')) refused++;
            if (isRunning) submit();
          }
        };
        submit();
      }
      await sleep(forMs / 4);
      const startedNs = nowNs();
      answers = 0;
      await sleep(forMs);
      const perSecond = (answers * 1e9) / (nowNs() - startedNs);
      isRunning = false;
      await sleep(300);
      return { perSecond, refused };
    },
    /** Resolves once all that were lost are back: when the last one was. */
    allBack: async () => {
      while (lost > 0) await sleep(20);
      return lastBackNs;
    },
    lost: () => lost,
  };
}

function keepJob(client: Client, payload: Buffer): void {
  client.jobId = jobIdIn(payload) || client.jobId;
}
