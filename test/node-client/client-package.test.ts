/** The client as a user of the package has it: by its name, with its types, and by its example. Runs what was built. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mineMany, mineOne, startEasyNode } from '../devnode/helpers.js';
import { until } from '../helpers/until.js';

const ROOT = new URL('../../', import.meta.url);
const EXAMPLE = fileURLToPath(new URL('config/examples/node-client.js', ROOT));

/** Runs the example; its text so far, and its exit code. */
function runExample(...args: readonly string[]) {
  const child = spawn(process.execPath, [EXAMPLE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { text: () => text, code };
}

describe('stratum-bridge/node-client', () => {
  it('has its code and its types where the package says', () => {
    const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
      exports: Record<string, { types: string; default: string }>;
    };
    const { types = '', default: code = '' } = exports['./node-client'] ?? {};
    expect([existsSync(new URL(types, ROOT)), existsSync(new URL(code, ROOT))]).toEqual([true, true]);
  });

  it('shows in its example the cut, the newest blocks and the next one', async () => {
    const server = await startEasyNode();
    try {
      await mineMany(server, 30);
      const example = runExample(server.rootUrl, '3');
      await until('the stream is open', () => example.text().includes('waiting for the next block'));
      await mineOne(server);
      expect(await example.code, example.text()).toBe(0);
      const lines = example.text().trim().split('\n');
      expect(lines[0]).toBe(`development at ${server.url} has 10 chains, height 30`);
      expect(lines.filter((line) => /^block \d+ [\w-]{43}$/.test(line)).length).toBeGreaterThan(1);
      expect(lines.at(-1)).toMatch(/^new on chain \d height \d+ [\w-]{43}$/);
    } finally {
      await server.close();
    }
  });

  it('says in its example what failed and what to do', async () => {
    const server = await startEasyNode({ headerStream: false });
    try {
      const example = runExample(server.rootUrl);
      expect(await example.code).toBe(1);
      expect(example.text()).toMatch(
        /GET \/header\/updates failed: .* answered 404 .* set headerStream: true/,
      );
    } finally {
      await server.close();
    }
  });
});
