/** Ports that give way where another program has them: found out by listening, so that nobody can come between. */
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { ListenAddress } from '../../src/core/names/listening.js';
import { SILENT } from '../../src/core/names/log.js';
import { listen } from '../../src/stratum/admission/listener.js';
import { startRecorderWeb } from '../../src/web/server.js';
import { serveHttp } from '../helpers/web/http.js';

async function portOfRigs(address: ListenAddress): Promise<number> {
  const listener = await listen('tcp', address, (socket) => socket.destroy());
  listener.close();
  return listener.address.port;
}

async function portOfWeb(address: ListenAddress): Promise<number> {
  const web = await startRecorderWeb(
    { ...address, metrics: new Registry(), log: SILENT },
    async () => undefined,
  );
  await web.close();
  return Number(new URL(web.url).port);
}

it.each([
  ['rigs', portOfRigs],
  ['web', portOfWeb],
])('C5: a port of %s that is taken gives way to a free one only where it may', async (_what, portOf) => {
  await using holder = await serveHttp((_request, response) => void response.end());
  const taken = { host: '127.0.0.1', port: Number(new URL(holder.url).port) };
  const got = await portOf({ ...taken, elseAny: true });
  expect([0, taken.port]).not.toContain(got);
  await expect(portOf(taken)).rejects.toThrow(/another program uses this port|EADDRINUSE/);
});
