/** A real nginx for tests: found, installed or left out by debian.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { temporaryFolder } from '../folder.js';
import { findPrograms } from '../processes/debian.js';
import { freePort } from '../processes/ports.js';
import { until } from '../until.js';

/** Why there is none, or `undefined` when there is one. Says the reason on stderr. */
export function findNginx(): Promise<string | undefined> {
  return findPrograms('tests behind nginx', ['nginx'], 'nginx-light', '-v');
}

export interface TestNginx extends AsyncDisposable {
  readonly url: string;
}

/**
 * With nothing but `proxy_pass` to what is behind it.
 *
 * @param version of HTTP by which it asks; 1.1 is what nginx takes by itself since 1.29.7, with connections that it keeps.
 */
export async function startNginx(behind: string, version: '1.0' | '1.1'): Promise<TestNginx> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const isNew = version === '1.1';
  const config = `
daemon off;
pid ${folder.path}/pid;
error_log stderr;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder.path}/${name};`).join('\n  ')}
  upstream bridge { server ${new URL(behind).host}; ${isNew ? 'keepalive 32;' : ''} }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${isNew ? 'http://bridge' : behind};
      ${isNew ? `proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host ${new URL(behind).host};` : ''}
    }
  }
}
`;
  const path = join(folder.path, 'nginx.conf');
  await writeFile(path, config);
  const server: ChildProcess = spawn('nginx', ['-e', 'stderr', '-p', folder.path, '-c', path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until('nginx answers', async () => {
    if (server.exitCode !== null) throw new Error(`nginx ended with ${server.exitCode}`);
    const { body, statusCode } = await request(`${url}/healthz`).catch(() => ({
      body: undefined,
      statusCode: 0,
    }));
    await body?.dump();
    return statusCode === 200;
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      if (server.exitCode === null) await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
