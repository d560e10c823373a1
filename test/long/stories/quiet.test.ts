/** A bridge to which no rig comes: what it asks of its database, and how often it wakes, while nothing happens. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase, order, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { startProgram } from '../../helpers/processes/program.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';
/** What a start has still to do is done, and what V8 does with code that is new. */
const SETTLED_MS = 60_000;
/** In which what is done once a minute is done once. */
const REST_SECONDS = 60;
/** A busy machine delays what timers do: never more of it, but for what comes late from before. */
const MOST_A_SECOND = { statements: 4, wakes: 22 };

/** Statements that the server was asked, as its own log has them. */
async function statements({ dataDir }: TestPostgres): Promise<string[]> {
  const folder = join(dataDir, 'postgres', 'data', 'log');
  const files = (await readdir(folder)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => text.match(/(?<=LOG: {2}(?:execute [^:]+|statement): ).*/g) ?? []);
}

/** Of all its threads: how often one that had waited went on. */
async function wakes(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const counts = threads.map(async (thread) => {
    const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => ''); // it has ended
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

it.runIf(process.platform === 'linux')(
  'asks and wakes no more than it says of itself, while no rig is there',
  async () => {
    await using postgres = await startTestPostgres();
    await using folder = await temporaryFolder();
    const databaseUrl = await createDatabase(postgres);
    // Of the sessions of this bridge alone.
    const database = new URL(databaseUrl).pathname.slice(1);
    await order(databaseUrl, `ALTER DATABASE ${database} SET log_statement = 'all'`);
    await using node = startProgram(['node', '--mining', '--listen', ANY]);
    const { url } = await node.ready();
    await using bridge = startProgram([
      ...['serve', '--node-urls', String(url), '--miner-account', ACCOUNT, '--cpu-mode', 'off'],
      ...['--data-dir', folder.path, '--ledger-database-url', databaseUrl],
      ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY],
    ]);
    await bridge.ready();
    await sleep(SETTLED_MS);

    const before = { statements: (await statements(postgres)).length, wakes: await wakes(bridge.pid) };
    const startedAtMs = performance.now();
    await sleep(REST_SECONDS * 1000);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const asked = (await statements(postgres)).slice(before.statements);
    const woken = (await wakes(bridge.pid)) - before.wakes;

    const rates = { statements: asked.length / seconds, wakes: woken / seconds };
    process.stdout.write(`at rest, a second: ${JSON.stringify(rates)}\n`);
    onTestFinished(({ task }) => {
      if (task.result?.state === 'fail') process.stdout.write(`${mostOften(asked)}\n`);
    });
    // It was asked at all: the log is where it is read.
    expect(asked.length).toBeGreaterThan(10);
    expect(woken).toBeGreaterThan(10);
    expect(rates.statements).toBeLessThan(MOST_A_SECOND.statements);
    expect(rates.wakes).toBeLessThan(MOST_A_SECOND.wakes);
  },
);

function mostOften(asked: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of asked) counts.set(text, (counts.get(text) ?? 0) + 1);
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([text, count]) => `${count} ${text}`);
  return lines.slice(0, 30).join('\n');
}
