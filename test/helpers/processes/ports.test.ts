import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { claimPort, freePort, freePorts } from './ports.js';

/** What another process, which ends then, says of it. */
async function elsewhere(asked: string): Promise<string> {
  const script = `import { claimPort, freePort } from './dist/test/helpers/processes/ports.js'; console.log(await ${asked})`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.trim();
}

it('nobody else is given a port, though nobody listens there for a while', async () => {
  const port = await freePort();
  for (const _ of ['started', 'started again']) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
    expect([await claimPort(port), await elsewhere(`claimPort(${port})`)]).toEqual([false, 'false']);
  }
});

it('a port is free again when who was given it has ended', async () => {
  const port = Number(await elsewhere('freePort()'));
  expect([await claimPort(port), await claimPort(port)]).toEqual([true, false]);
});

it('where somebody listens is no free port', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  expect(await claimPort(typeof address === 'object' && address ? address.port : 0)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
});

it('ports of one question are each another one', async () => {
  expect(new Set(await freePorts(50)).size).toBe(50);
});
