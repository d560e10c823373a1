/** Behind a real nginx with nothing but `proxy_pass`, whoever asks is who he is: nobody is a program of this machine. */
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGuarded } from '../helpers/web/guarded-web.js';
import { findNginx, startNginx } from '../helpers/web/nginx.js';
import { ADMIN, bearer, READ } from '../helpers/web/operators.js';

const missing = await findNginx();

const CLOSED = ['/metrics', '/api/v1/sessions', '/api/v1/settings', '/api/v1/payouts', '/api/v1/bans'];

describe.skipIf(missing !== undefined).each(['1.0', '1.1'] as const)('behind nginx by HTTP/%s', (version) => {
  it('WB1: an anonymous user gets what an anonymous user gets, whatever he says of himself', async () => {
    await using web = await startGuarded();
    await using nginx = await startNginx(web.url, version);
    const status = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const asked = { method: method as 'GET', headers };
      const { statusCode, body } = await request(nginx.url + path, asked);
      await body.dump();
      return statusCode;
    };
    for (const headers of [{}, { host: 'localhost' }, { host: 'pool.example' }])
      for (const path of CLOSED)
        expect([headers, path, await status(path, headers)]).toEqual([headers, path, 401]);
    expect(await status('/make-blocks', {}, 'POST')).toBe(401);
    expect(web.state.blocks).toBe(0);
    expect(await status('/healthz')).toBe(200);
    expect([await status('/metrics', bearer(READ)), await status('/metrics', bearer(ADMIN))]).toEqual([
      200, 200,
    ]);
  });

  it('WB3: a hundred clients at once are all served', async () => {
    await using web = await startGuarded();
    await using nginx = await startNginx(web.url, version);
    const clients = Array.from({ length: 100 }, () => new Agent({ connections: 1 }));
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.destroy()));
    });
    for (let round = 0; round < 3; round++) {
      const statuses = await Promise.all(
        clients.map(async (dispatcher) => {
          const { statusCode, body } = await request(`${nginx.url}/healthz`, { dispatcher });
          await body.dump();
          return statusCode;
        }),
      );
      expect(statuses.filter((each) => each !== 200)).toEqual([]);
    }
  });
});
