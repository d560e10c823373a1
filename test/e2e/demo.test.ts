/** What a new user types first. Other programs may have its default ports at any time, other demos as well. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Money } from '../../src/operations/books/accounts.js';
import type { Summary } from '../../src/operations/state.js';
import { temporaryFolder } from '../helpers/folder.js';
import { processesOf } from '../helpers/processes/processes.js';
import { type LogLine, runProgram, startProgram } from '../helpers/processes/program.js';
import { startDemo } from '../helpers/stories/demo.js';
import { until } from '../helpers/until.js';
import { fetchAsReader } from '../helpers/web/operators.js';

const MINED = 3;
/** What opens a browser on machines of people. */
const OPENERS = [
  'xdg-open',
  'open',
  'sensible-browser',
  'x-www-browser',
  'www-browser',
  'gnome-open',
  'wslview',
];

/** Finds them before any others; each leaves a file when it is called. */
async function watchOpeners(folder: string): Promise<{ env: Record<string, string>; opened: string }> {
  const opened = join(folder, 'opened');
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const name of OPENERS)
    await writeFile(join(bin, name), `#!/bin/sh\necho "$0" "$@" >> '${opened}'\n`, { mode: 0o755 });
  return { env: { PATH: `${bin}:${process.env['PATH']}`, BROWSER: join(bin, 'xdg-open') }, opened };
}

/** Whether somebody has something, or is expected to. */
async function isOwedAt(web: string): Promise<boolean> {
  const { accounts } = (await (await fetchAsReader(`${web}/api/v1/accounts`)).json()) as {
    accounts: { money: Money | null }[];
  };
  return accounts.some(({ money }) => Number(money?.expected) + Number(money?.due) > 0);
}

/** Runs the demo until blocks are found and more shares booked than `before`, then stops it by `signal`. */
async function runDemo(
  dataDir: string,
  signal: NodeJS.Signals,
  before: number,
  env: Record<string, string> = {},
): Promise<{ shares: number; page: string; lines: readonly LogLine[] }> {
  await using demo = startDemo(dataDir, env, before === 0 ? 'always' : 'off');
  const ready = await demo.ready();
  const summary = async (): Promise<Summary> =>
    (await fetchAsReader(`${ready['web']}/api/v1/summary`)).json() as Promise<Summary>;
  const shares = await until('solutions accepted and shares in the ledger', async () => {
    const { solutions, ledger, sessions } = await summary();
    const booked = ledger.shares ?? 0;
    return solutions.accepted >= MINED && booked > before && sessions === 1 && booked;
  });
  // What the first run has found is split by then.
  if (before > 0) await until('what would be paid is shown', () => isOwedAt(String(ready['web'])));
  const answer = await fetch(String(ready['web']));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await answer.text();
  demo.kill(signal);
  expect(await demo.ended).toBe(0);
  return { shares, page, lines: demo.lines };
}

async function blocksOf(dataDir: string): Promise<{ state: string }[]> {
  const { text } = await runProgram(['ledger', 'blocks', '--limit', '100000', '--data-dir', dataDir]);
  return JSON.parse(text) as { state: string }[];
}

const isOfPorts = ({ msg }: LogLine): boolean => msg?.startsWith('port ') ?? false;
/** What takes seconds on a machine that others keep busy: an entry is taken up once more, and booked once. */
const BUSY = /^could not renew lock|no answer within \d+ ?ms/;
const isOfBusyMachine = ({ error }: LogLine): boolean => BUSY.test(String(error));

it('WB52: demo says that it starts no node where others are given, and what it waits for', async () => {
  await using folder = await temporaryFolder();
  await using demo = startProgram([
    ...['demo', '--node-urls', 'http://127.0.0.1:1', '--data-dir', folder.path],
  ]);
  const { msg } = await until('it says so', () => demo.last('node'));
  expect(msg).toBe(
    'no development node is started, as node.urls is given (flag --node-urls); rig and CPU wait until http://127.0.0.1:1 gives work',
  );
});

describe.skipIf(process.platform !== 'linux')('the demo', () => {
  it('C5: mines within its first seconds, opens nothing by itself, stops without a trace, and goes on with the same ledger and chain', async () => {
    await using folder = await temporaryFolder();
    const { env, opened } = await watchOpeners(folder.path);
    const dataDir = join(folder.path, 'data');
    const first = await runDemo(dataDir, 'SIGINT', 0, env);
    expect(await processesOf(folder.path)).toEqual([]);
    // It tells where its page is. Once all of it has ended, nobody can open anything any more.
    expect(first.page).toContain('<title>stratum-bridge</title>');
    expect(existsSync(opened)).toBe(false);
    // No block of either run is unknown to the chain, and the second run books onto what the first has left.
    const second = await runDemo(dataDir, 'SIGTERM', first.shares);
    const kept = await blocksOf(dataDir);
    expect(kept.length).toBeGreaterThanOrEqual(2 * MINED);
    expect(kept.filter(({ state }) => state === 'unknown')).toEqual([]);
    // C17: a line for each thing that happens, and none for what goes right all the time.
    for (const { lines } of [first, second]) {
      const told = lines.filter((line) => !isOfPorts(line) && !isOfBusyMachine(line));
      expect(told.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
      expect(told.length).toBeLessThan(30);
    }
    expect(await processesOf(folder.path)).toEqual([]);
  });
});
