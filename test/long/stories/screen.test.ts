/** The bridge as a person at a terminal sees it. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { MAIN } from '../../helpers/processes/program.js';
import { noTerminals, startOnTerminal } from '../../helpers/processes/pty.js';
import { until } from '../../helpers/until.js';

const SERVE = [
  ...[process.execPath, MAIN, 'serve', '--miner-account', `k:${'cd'.repeat(32)}`, '--cpu-mode', 'always'],
  ...['--cpu-threads', '1', '--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--web-listen', 'off'],
];
const LABELS = ['node', 'hash rate', 'sessions', 'submits', 'solutions', 'chains', 'ledger', 'queue', 'web'];

const BLOCK = '  stratum-bridge ';

/** What each line of the live block is about, from its first line to the end of the screen; rigs come and go. */
function labelsIn(rows: readonly string[]): string[] {
  const first = rows.findLastIndex((row) => row.startsWith(BLOCK));
  const labels = rows.slice(first + 1).map((row) => row.slice(2, 12).trim());
  return first === -1 ? [] : labels.filter((label) => label !== 'rig');
}

it.skipIf(noTerminals)('C17: serve draws one block below its log, in a window of any size', async () => {
  await using folder = await temporaryFolder();
  const node = await startDevNode();
  await using serve = startOnTerminal(
    [400, 40],
    [...SERVE, '--node-urls', node.url, '--data-dir', folder.path],
  );
  const { emulator } = serve;
  // Between two drawings a part of the block is there.
  const shown = await until('a job, and a share in the ledger', () => {
    const rows = emulator.rows();
    const rowOf = (label: string): string => rows.findLast((row) => row.startsWith(`  ${label} `)) ?? '';
    const isAtWork = /\d:\d|with work/.test(rowOf('chains')) && /[1-9]\d* shares/.test(rowOf('ledger'));
    return isAtWork && labelsIn(rows).join() === LABELS.join() && rows;
  });
  const above = shown.slice(
    0,
    shown.findIndex((row) => row.startsWith(BLOCK)),
  );
  expect(above.filter((row) => !/^\[\d\d:\d\d:\d\d\] [A-Z]+: /.test(row))).toEqual([]);
  expect(above.join('\n')).toMatch(/INFO: ready /);
  for (const [columns, rows] of [
    [80, 40],
    [60, 30],
    [80, 12],
    [120, 24],
  ] as const) {
    serve.resize(columns, rows);
    await until(
      `the block in a window of ${columns} x ${rows}`,
      () => labelsIn(emulator.window()).join() === LABELS.join(),
    );
    expect(emulator.window().filter((row) => stringWidth(row) > columns)).toEqual([]);
  }
  serve.resize(80, 6);
  await until('a note', () => /^… \d more lines/.test(emulator.window().at(-1) ?? ''));
  serve.type('\u0003');
  expect(await serve.ended).toBe(0);
  expect(emulator.rows().at(-1)).toMatch(/INFO: stopped$/);
  await node.close();
});

it.skipIf(noTerminals)(
  'C12: a window that is closed stops the bridge in order, with its database',
  async () => {
    await using folder = await temporaryFolder();
    const logs = join(folder.path, 'logs');
    await mkdir(logs);
    const node = await startDevNode();
    await using serve = startOnTerminal(
      [80, 24],
      [...SERVE, '--node-urls', node.url, '--data-dir', folder.path, '--log-file', join(logs, 'bridge.log')],
    );
    await until('the block', () => labelsIn(serve.emulator.rows()).length > 0);
    const pidFile = join(folder.path, 'postgres', 'data', 'postmaster.pid');
    expect(existsSync(pidFile)).toBe(true);
    serve.hangUp();
    expect(await serve.ended).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
    const lines = (await readFile(join(logs, 'bridge.1.log'), 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => (JSON.parse(line) as { event?: string }).event);
    expect(events.filter((event) => /^(ready|stop)/.test(event ?? ''))).toEqual([
      'ready',
      'stopping',
      'stopped',
    ]);
    expect(events.at(-1)).toBe('stopped');
    await node.close();
  },
);
