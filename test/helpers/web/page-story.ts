/** A real bridge whose page is looked at: database, node, `serve` and rigs, each of which may come and go. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { SILENT } from '../../../src/core/names/log.js';
import { createDatabase, startTestPostgres } from '../books/postgres.js';
import { temporaryFolder } from '../folder.js';
import { freePorts } from '../processes/ports.js';
import { type Program, startProgram } from '../processes/program.js';
import { SteadyRig } from '../rigs/steady-rig.js';

/** Hashes that a share takes: milliseconds. */
const SHARE = 2_000;
export const ACCOUNT = `k:${'cd'.repeat(32)}`;

export interface PageStory extends AsyncDisposable {
  /** The same also after the bridge was started again. */
  readonly url: string;
  /** Of the bridge. */
  readonly dataDir: string;
  /** Of the bridge's ledger. */
  readonly database: string;
  /** Once a bridge was started. */
  adminToken(): Promise<string>;
  /** @param more of what it is told; at another port, it is one beside the bridge's. */
  startNode(more?: readonly string[], port?: number): Promise<Program>;
  startBridge(): Promise<Program>;
  /** One that mines ten shares a second, and no more: one that mines as it can takes the processor from the tests beside it. */
  startRig(name: string): SteadyRig;
}

/** @param more settings of the bridge, as flags. */
export async function startPageStory(more: readonly string[] = []): Promise<PageStory> {
  const open = new CloseStack();
  const keep = <T extends AsyncDisposable>(name: string, one: T): T => {
    open.add(name, async () => one[Symbol.asyncDispose]());
    return one;
  };
  const folder = keep('folder', await temporaryFolder());
  const postgres = await startTestPostgres();
  open.add('database', () => postgres.close());
  const database = await createDatabase(postgres);
  const [node = 0, tcp = 0, ws = 0, web = 0] = await freePorts(4);
  const start = async (name: string, args: readonly string[]): Promise<Program> => {
    const program = keep(name, startProgram(args));
    await program.ready();
    return program;
  };
  const ease = ['--genesis-difficulty', `${5 * SHARE}`, '--block-delay', '2000ms'];
  const settings = [
    ...[
      '--node-urls',
      `http://127.0.0.1:${node}`,
      '--miner-account',
      ACCOUNT,
      '--data-dir',
      folder.path,
      '--cpu-mode',
      'off',
    ],
    ...[
      '--stratum-tcp',
      `127.0.0.1:${tcp}`,
      '--stratum-ws',
      `127.0.0.1:${ws}`,
      '--web-listen',
      `127.0.0.1:${web}`,
    ],
    ...['--stratum-share-difficulty', `${SHARE}`, '--ledger-database-url', database],
    ...more,
  ];
  return {
    url: `http://127.0.0.1:${web}`,
    dataDir: folder.path,
    database,
    adminToken: async () => (await readFile(join(folder.path, 'web-admin-token'), 'utf8')).trim(),
    startNode: (more = [], port = node) =>
      start('node', ['node', '--mining', '--listen', `127.0.0.1:${port}`, ...ease, ...more]),
    startBridge: () => start('bridge', ['serve', ...settings]),
    startRig: (name) => keep(name, new SteadyRig(tcp, `${ACCOUNT}.${name}`, 'steady/1')),
    [Symbol.asyncDispose]: () => open.close(SILENT),
  };
}

/** Ends it, and waits until it has. */
export async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM');
  await program.ended;
}
