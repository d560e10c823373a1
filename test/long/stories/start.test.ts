/** Starts and runs that are told to stop at any moment: in order, or at once, and without a PostgreSQL left behind. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { processesOf } from '../../helpers/processes/processes.js';
import { MAIN, type Program, startProgram } from '../../helpers/processes/program.js';
import { PATIENCE_MS, until } from '../../helpers/until.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const OFF = [
  '--stratum-tcp',
  'off',
  '--stratum-ws',
  'off',
  '--web-listen',
  'off',
  '--cpu-mode',
  'off',
  '--miner-account',
  ACCOUNT,
];
/** Nobody answers there. */
const NO_DATABASE = ['--ledger-database-url', 'postgres://127.0.0.1:1/x'];
/** The promise is 2 s; the machine of the tests may be busy with others. What hangs, hangs for ever. */
const PROMISED_MS = PATIENCE_MS;

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** Ends within the promise; whoever is in the middle of something is ended by the signal itself. */
async function endOf(program: Program): Promise<number | string> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, PROMISED_MS, 'too late').unref());
  return Promise.race([program.ended, late]);
}

describe('C4: a start can be interrupted', () => {
  it('C4: while another session holds the lock of who makes books', async () => {
    const url = await createDatabase(postgres);
    await using folder = await temporaryFolder();
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${0x5b_1ed6e5})`);
    const waits = async (): Promise<boolean> => {
      const { rows } = await holder.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      return rows.length > 0;
    };
    for (const args of [['serve', ...OFF, '--data-dir', folder.path], ['recorder']]) {
      await using program = startProgram([...args, '--ledger-database-url', url]);
      await until('it waits for the lock', waits);
      program.kill('SIGTERM');
      expect([0, 'SIGTERM']).toContain(await endOf(program));
    }
    await holder.end();
  });

  it.skipIf(process.platform !== 'linux').each([
    ['serve', [...OFF, ...NO_DATABASE], 'instance.json'],
    ['demo', ['--log-format', 'json'], 'demo-account.json'],
  ])('C4: of %s, while it reads a file that never ends', async (command, args, file) => {
    await using endless = await endlessFile(file);
    await using program = startProgram([command, ...args, ...endless.args]);
    await endless.untilRead();
    program.kill('SIGINT');
    expect(await endOf(program)).toBe('SIGINT');
    expect(program.last('stopping')).toMatchObject({ reason: 'SIGINT' });
    await until(
      'no process of it',
      async () => (await processesOf(endless.folder)).length === 0,
      PROMISED_MS,
    );
  });

  it('C4: of rig, before it has found a pool', async () => {
    await using rig = startProgram([
      'rig',
      '--urls',
      'ws://127.0.0.1:1',
      '--user',
      'a',
      '--log-level',
      'debug',
    ]);
    await until('it starts', () => rig.last('starting'));
    rig.kill('SIGINT');
    expect([0, 'SIGINT']).toContain(await endOf(rig));
  });

  it.skipIf(process.platform !== 'linux')('C4: a second signal ends it at once', async () => {
    await using endless = await endlessFile('instance.json');
    await using program = startProgram(['serve', ...OFF, ...NO_DATABASE, ...endless.args]);
    await endless.untilRead();
    const timer = setInterval(() => program.kill('SIGTERM'), 300);
    expect(await endOf(program).finally(() => clearInterval(timer))).toBe('SIGTERM');
    expect(program.lines.filter(({ msg }) => msg?.includes('took too long'))).toEqual([]);
  });
});

/** A data directory in which one file is a pipe that nobody writes to: who reads it is never done. */
async function endlessFile(name: string) {
  const folder = await temporaryFolder();
  const path = join(folder.path, name.startsWith('instance') ? '0' : '', name);
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', ['-m', '600', path]);
  let writer: number | undefined;
  return {
    folder: folder.path,
    args: ['--data-dir', folder.path, '--log-level', 'debug'],
    untilRead: async () => {
      writer = await until('it is read', () => {
        try {
          return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
        } catch (error) {
          // Nobody reads it yet.
          if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined;
          throw error;
        }
      });
    },
    [Symbol.asyncDispose]: async () => {
      if (writer !== undefined) closeSync(writer);
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(process.platform !== 'linux')('C12: no PostgreSQL is left behind', () => {
  const serve = (folder: string, ...more: string[]): string[] => [
    'serve',
    ...OFF,
    '--data-dir',
    folder,
    ...more,
  ];
  const nothingLeft = (folder: string) =>
    until('no process of it', async () => (await processesOf(folder)).length === 0, PROMISED_MS);

  /** Or the program has ended before anybody looked. */
  const postgresStarts = async (program: Program, folder: string): Promise<void> => {
    let ended = false;
    void program.ended.then(() => {
      ended = true;
    });
    await until('PostgreSQL starts', async () => ended || (await processesOf(folder)).some(isPostgres));
  };

  it('C12: by a pipe that closes, a second signal, or a stop of ledger', async () => {
    await using folder = await temporaryFolder();
    const piped = spawn(process.execPath, [MAIN, ...serve(folder.path, '--log-level', 'debug')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    piped.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    piped.stdout.once('data', () => piped.stdout.destroy());
    const end = await new Promise((resolve) => piped.once('exit', (code, signal) => resolve(code ?? signal)));
    expect([0, 'SIGTERM']).toContain(end);
    expect(said).toBe('');
    await nothingLeft(folder.path);

    await using insisted = startProgram(serve(folder.path));
    await postgresStarts(insisted, folder.path);
    const timer = setInterval(() => insisted.kill('SIGINT'), 300);
    expect([0, 'SIGINT']).toContain(await endOf(insisted).finally(() => clearInterval(timer)));
    await nothingLeft(folder.path);

    await using whole = startProgram(serve(folder.path));
    await whole.ready();
    whole.kill('SIGTERM');
    expect(await endOf(whole)).toBe(0);
    await using looking = startProgram(['ledger', 'verify', '--data-dir', folder.path]);
    await postgresStarts(looking, folder.path);
    looking.kill('SIGTERM');
    expect([0, 'SIGTERM']).toContain(await endOf(looking));
    await nothingLeft(folder.path);
  });

  it('C4: whenever the start is interrupted; and the next one works', async () => {
    await using folder = await temporaryFolder();
    for (let delayMs = 0; ; delayMs += Math.max(500, delayMs / 2)) {
      await using program = startProgram(serve(folder.path, '--log-level', 'debug'));
      const isUp = await Promise.race([program.ready().then(() => true), sleep(delayMs, false)]);
      program.kill('SIGINT');
      // Before it listens for signals, and where it is in the middle of something long, the signal itself ends it.
      expect(isUp ? [0] : [0, 'SIGINT']).toContain(await program.ended);
      expect(program.stderr()).toBe('');
      await nothingLeft(folder.path);
      if (isUp) return;
    }
  });
});

function isPostgres(command: string): boolean {
  return command.includes('bin/postgres');
}
