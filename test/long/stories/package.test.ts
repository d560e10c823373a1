/** The package in the hands of a user: packed, installed in an empty folder, run, and compiled against. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unfitReason } from '../../../workers/native/place.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { compilerRuns } from '../../helpers/processes/compiler.js';
import { installIn, type Packed, packInto, registryAnswers, typed } from '../../helpers/processes/package.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { startCommand } from '../../helpers/processes/program.js';

const ROOT = new URL('../../../', import.meta.url);
const OLDEST_NODE = '20.19.0';
const { version, exports, bin } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  version: string;
  exports: Record<'./node-client' | './dev-node', { types: string; default: string }>;
  bin: { 'stratum-bridge': string };
};

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const user = join(folder.path, 'user');
const bridge = (args: string) => typed(`node_modules/.bin/stratum-bridge ${args}`, user);

let packed: Packed;
beforeAll(async () => {
  packed = await packInto(folder.path);
});

describe('the tarball', () => {
  it('has what is run, documented and compiled', () => {
    const wanted = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'config/stratum-bridge.yaml',
      'dist/src/web/page/index.html',
      bin['stratum-bridge'],
    ];
    const examples = readdirSync(new URL('config/examples', ROOT)).map((name) => `config/examples/${name}`);
    const kernel = ['kernel.c', 'search.h', 'at-install.js'].map((name) => `workers/native/${name}`);
    const entered = [exports['./node-client'], exports['./dev-node']];
    const entries = entered.flatMap((one) => [one.types, one.default]).map((path) => path.replace('./', ''));
    expect(packed.files).toEqual(expect.arrayContaining([...wanted, ...examples, ...kernel, ...entries]));
    const statements = (names: readonly string[]) => names.filter((name) => name.endsWith('.sql')).length;
    const source = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' });
    expect(statements(packed.files)).toBe(statements(source));
  });

  it('has nothing of the packer: no binary, no source map, no test', () => {
    const stray =
      /\.(node|map|tsbuildinfo|log)$|^(dist\/)?test\/(?!.*README\.md$)|^\.|(?<!\.d)\.ts$|not-built\.txt$/;
    expect(packed.files.filter((path) => stray.test(path))).toEqual([]);
    expect(readFileSync(new URL(exports['./node-client'].default, ROOT), 'utf8')).not.toContain(
      'sourceMapping',
    );
  });
});

describe('what the checkout installs for production', () => {
  it(`runs on Node.js ${OLDEST_NODE}`, () => {
    expect(wantingNewerNode(OLDEST_NODE, fileURLToPath(new URL('package-lock.json', ROOT)))).toEqual([]);
  });
});

describe('installed in an empty folder, without install scripts', () => {
  let said: string | undefined;
  beforeAll(async () => {
    if (await registryAnswers()) {
      await mkdir(user);
      said = await installIn(user, packed.path, '@types/node@20');
    } else process.stderr.write('LEFT OUT: the installed package (no npm registry in reach)\n');
  });
  beforeEach(({ skip }) => skip(said === undefined, 'no npm registry in reach'));

  it('warns of nothing', () => {
    expect(said).not.toMatch(/npm warn (?!Unknown (user|env|cli) config)/i);
  });

  // Our `overrides` hold for nobody but us: a consumer gets what the ranges of all packages allow today, of which npm takes
  // what is for the Node.js that it runs on.
  it('brings nothing that wants a newer Node.js than this one', () => {
    const installed = join(user, 'node_modules/.package-lock.json');
    expect(wantingNewerNode(process.versions.node, installed)).toEqual([]);
  });

  it('is a program', async () => {
    expect(await typed('npx stratum-bridge --version', user)).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    const help = await bridge('--help');
    expect(help.code).toBe(0);
    for (const name of ['demo', 'serve', 'rig', 'doctor']) expect(help.stdout).toContain(name);
    expect((await bridge('keygen')).stdout).toMatch(/k:[0-9a-f]{64}/);
    expect((await bridge('rig --benchmark 0.05s')).stdout).toMatch(/"fastest":"\w+"/);
  });

  it('runs the demo with its own database', async () => {
    const program = join(user, 'node_modules/.bin/stratum-bridge');
    await using demo = startCommand([program, 'demo', '--data-dir', join(user, 'data')]);
    await demo.ready();
    demo.kill('SIGINT');
    expect(await demo.ended, demo.stderr()).toBe(0);
  });

  it.skipIf(unfitReason(process.platform, process.arch) !== undefined)(
    'has the portable kernel, and the native one by the command that doctor names',
    async () => {
      const before = await bridge('doctor');
      expect(before.stdout).toMatch(/CPU kernel[^}]*\b(simd|scalar)\b/);
      const [, line = '', where = ''] = /`(npm rebuild [^`]+)` in (\S+)/.exec(before.stdout) ?? [];
      expect(await typed(line, where)).toMatchObject({ code: 0 });
      const native = readdirSync(join(user, 'node_modules/stratum-bridge/dist/native'));
      const { stdout } = await bridge('doctor');
      if (compilerRuns()) {
        expect(native).toEqual(['kernel.length', 'kernel.node']);
        expect(stdout).not.toContain('npm rebuild');
      } else {
        expect(native).toEqual(['not-built.txt']);
        expect(stdout).toContain('there is no C compiler');
      }
    },
  );

  it('has a node client with types, for both ways that TypeScript resolves modules', async () => {
    const [port] = await freePorts(1);
    await writeFile(join(user, 'consumer.ts'), CONSUMER.replace('PORT', String(port)));
    const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', ROOT));
    const how = '--strict --skipLibCheck false --target es2022 --types node consumer.ts';
    const compile = (modules: string) => typed(`'${process.execPath}' '${tsc}' ${modules} ${how}`, user);
    expect(await compile('--noEmit --module esnext --moduleResolution bundler')).toMatchObject({
      code: 0,
      text: '',
    });
    expect(await compile('--module nodenext')).toMatchObject({ code: 0, text: '' });
    const { code, text } = await typed(`'${process.execPath}' consumer.js`, user);
    expect({ code, text }).toEqual({ code: 0, text: 'unreachable\n' });
  });
});

const CONSUMER = `import { NodeClient, NodeError } from 'stratum-bridge/node-client';

async function heightOf(url: string): Promise<number> {
  const node: NodeClient = await NodeClient.connect({ nodes: url });
  try {
    const { height, hashes } = await node.maintenance.cut();
    const chain = node.chain(Number(Object.keys(hashes)[0]));
    for await (const { hash } of chain.headers.each({ minHeight: height })) hash.toUpperCase();
    // @ts-expect-error There are types, and they say what a height is.
    const name: string = height;
    return height + name.length;
  } finally {
    await node.close();
  }
}

try {
  await heightOf('http://127.0.0.1:PORT');
} catch (error) {
  if (!(error instanceof NodeError)) throw error;
  console.log(error.code);
}
`;

/** Packages of a lockfile, but those for development, that want a newer Node.js than the given version. */
function wantingNewerNode(than: string, lockfile: string): string[] {
  const fastify = createRequire(import.meta.url).resolve('fastify');
  const { satisfies } = createRequire(fastify)('semver') as {
    satisfies(version: string, range: string): boolean;
  };
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    packages: Record<string, { engines?: { node?: string }; dev?: boolean }>;
  };
  const inProduction = Object.entries(packages).filter(([, { dev }]) => !dev);
  expect(inProduction.length).toBeGreaterThan(50);
  return inProduction.flatMap(([path, { engines }]) =>
    satisfies(than, engines?.node ?? '*') ? [] : [`${path} wants Node.js ${engines?.node}`],
  );
}
