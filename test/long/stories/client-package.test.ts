/** The client as a package of its own, in the hands of somebody who has never seen this project: packed, installed, and run by the programs of its README. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { installIn, type Packed, packInto, registryAnswers, typed } from '../../helpers/processes/package.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';

const ROOT = new URL('../../../', import.meta.url);
const NAME = 'stratum-bridge-node-client';
const [, LIST = '', FOLLOW = '', PAY = ''] =
  readFileSync(new URL('src/node-client/README.md', ROOT), 'utf8')
    .split('## Three programs')[1]
    ?.split('## In your own program')[0]
    ?.split('```js\n')
    .map((part) => part.split('```')[0] ?? '') ?? [];
const MOST_MEGABYTES = 13;
const [ALICE, BOB] = [keyPair(1), keyPair(2)];

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const user = join(folder.path, 'user');

let packed: Packed;
let isInstalled = false;
let node: Program;
let url = '';
beforeAll(async () => {
  if (!(await registryAnswers())) {
    process.stderr.write('LEFT OUT: the installed node client (no npm registry in reach)\n');
    return;
  }
  packed = await packInto(folder.path, 'dist/node-client');
  await mkdir(user);
  await installIn(user, packed.path);
  for (const [name, text] of Object.entries({ list: LIST, follow: FOLLOW, pay: PAY }))
    await writeFile(join(user, `${name}.js`), text);
  node = startProgram([
    ...['node', '--listen', '127.0.0.1:0', '--mine-every', '200ms', '--accounts', ALICE.account],
  ]);
  url = String((await node.ready())['url']);
  isInstalled = true;
});
afterAll(() => node?.[Symbol.asyncDispose]());
beforeEach(({ skip }) => skip(!isInstalled, 'no npm registry in reach'));

const js = (line: string) => typed(`'${process.execPath}' ${line}`, user);

it('has a README that leads nowhere out of it', async () => {
  const readme = await readFile(join(user, 'node_modules', NAME, 'README.md'), 'utf8');
  for (const heading of ['## Three programs', '## Following', '## Transfers'])
    expect(readme).toContain(heading);
  expect(readme).not.toMatch(/\]\((?!https:|#)/);
});

it('brings four packages and what these need, and is small', async () => {
  const { dependencies } = JSON.parse(
    await readFile(join(user, 'node_modules', NAME, 'package.json'), 'utf8'),
  ) as { dependencies: object };
  expect(Object.keys(dependencies).sort()).toEqual(['@noble/hashes', 'eventsource', 'undici', 'zod']);
  const { packages } = JSON.parse(await readFile(join(user, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  expect(Object.keys(packages).length).toBeLessThanOrEqual(6);
  expect((await bytesIn(join(user, 'node_modules'))) / 1e6).toBeLessThan(MOST_MEGABYTES);
});

describe('by the programs of its README, which have less than fifteen lines', () => {
  it.each([LIST, FOLLOW, PAY])('%#', (text) => {
    expect(text.trim().split('\n').length).toBeLessThan(15);
    expect(text).toContain(`from '${NAME}'`);
  });

  it('lists the blocks of a chain', async () => {
    const { code, text } = await js(`list.js ${url}`);
    expect(code, text).toBe(0);
    expect(text).toMatch(/^0 [\w-]{43} 20\d\d-\d\d-\d\dT[\d:.]+Z\n/);
  });

  it('follows two chains, each block once', async () => {
    const following = spawn(process.execPath, ['follow.js', url], { cwd: user });
    onTestFinished(() => void following.kill());
    let text = '';
    following.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const lines = () => text.split('\n').slice(0, -1);
    await expect.poll(() => lines().length).toBeGreaterThan(5);
    for (const chain of ['0', '1']) {
      const heights = lines()
        .filter((line) => line.startsWith(`${chain} `))
        .map((line) => Number(line.split(' ')[1]));
      expect(heights.length).toBeGreaterThan(0);
      expect(heights).toEqual(heights.map((_, i) => (heights[0] ?? 0) + i));
    }
  });

  it('pays, and waits until that is two blocks deep', async () => {
    const secret = Buffer.from(ALICE.secret).toString('hex');
    const { code, text } = await typed(
      `SECRET_KEY=${secret} '${process.execPath}' pay.js ${url} ${BOB.account} 1.5`,
      user,
    );
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^[\w-]{43} success\n$/) });
  });
});

it('has types, for both ways that TypeScript resolves modules', async () => {
  await writeFile(join(user, 'consumer.ts'), CONSUMER);
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', ROOT));
  // It writes package.json anew, and takes out what that does not name.
  await installIn(user, packed.path, '@types/node@20');
  const how = '--strict --skipLibCheck false --target es2022 --types node --noEmit consumer.ts';
  for (const modules of ['--module esnext --moduleResolution bundler', '--module nodenext'])
    expect(await js(`'${tsc}' ${modules} ${how}`)).toMatchObject({ code: 0, text: '' });
});

const CONSUMER = `import { connect, type NodeClient, NodeError } from '${NAME}';

const client: NodeClient = await connect({ nodes: ['http://127.0.0.1:1848'], network: 'development' });
for await (const { height, epochStart, ledgerVersion } of client.chain(0).headers.each()) {
  const numbers: number[] = [height, epochStart];
  console.log(numbers, ledgerVersion.toUpperCase());
}
// @ts-expect-error There are types, and they say what a depth is.
client.follow({ depth: 'six' });
const transfer = await client.chain(0).transfers.build({ from: 'k:', to: 'k:', amount: '1.5' });
const { result } = await client.chain(0).transfers.waitFor(transfer.requestKey, 6);
if (result.status === 'failure') throw new NodeError('status', result.error.message ?? '', { url: '' });
`;

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
