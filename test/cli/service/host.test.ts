/** The life that all services share, by a little one in a process of its own. */
import { fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { type LogLine, type Program, startCommand } from '../../helpers/processes/program.js';
import { noTerminals, startOnTerminal } from '../../helpers/processes/pty.js';
import { until } from '../../helpers/until.js';
import type { LittleConfig } from './little-service.js';

const SCRIPT = fileURLToPath(new URL('../../../dist/test/cli/service/little-service.js', import.meta.url));
/** Longer than what is taken for one wish. */
const AGAIN_MS = 600;
/** Of a stop, where something in it hangs. */
const STOP_MS = 2_000;

interface Little extends AsyncDisposable {
  readonly program: Program;
  /** Lets what waits for it go on. */
  touch(name: string): Promise<void>;
  settings(config: Partial<LittleConfig>): Promise<void>;
  /** Writes them and asks for a reload; resolves with what is said of it, once there is so much. */
  reload(config: Partial<LittleConfig>, lines?: number): Promise<readonly LogLine[]>;
  part(number: number): Promise<LogLine>;
  /** Parts that were closed, in order. */
  closed(): readonly unknown[];
  isThere(name: string): boolean;
  readonly path: (name: string) => string;
}

/** @param files that stand beside its settings. */
async function startLittle(config: Partial<LittleConfig>, files: readonly string[] = []): Promise<Little> {
  const folder = await temporaryFolder();
  const path = (name: string): string => join(folder.path, name);
  const settings = (values: Partial<LittleConfig>) =>
    writeFile(path('settings.json'), JSON.stringify(values));
  await settings(config);
  for (const name of files) await writeFile(path(name), '');
  const program = startCommand([process.execPath, SCRIPT, path('settings.json')]);
  const reloads = (): LogLine[] => program.lines.filter(({ event }) => event === 'reload');
  return {
    program,
    settings,
    path,
    touch: (name) => writeFile(path(name), ''),
    async reload(values, lines = 1) {
      const from = reloads().length;
      await settings(values);
      program.kill('SIGHUP');
      return until('the reload is told of', () => reloads().length >= from + lines && reloads().slice(from));
    },
    part: (number) => until(`part ${number}`, () => program.lines.find(({ part }) => part === number)),
    closed: () => program.lines.filter(({ msg }) => msg === 'stopped').flatMap(({ part }) => part ?? []),
    isThere: (name) => existsSync(path(name)),
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL');
      await program.ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** With an IPC channel, and its output in the test's hands. */
async function startPiped(config: Partial<LittleConfig>) {
  const folder = await temporaryFolder();
  const path = (name: string): string => join(folder.path, name);
  await writeFile(path('settings.json'), JSON.stringify(config));
  const child = fork(SCRIPT, [path('settings.json')], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  return {
    ...{ child, ended, path },
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a stop', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s is in order: last part first, exit code 0',
    async (signal) => {
      await using little = await startLittle({});
      expect(await little.program.ready()).toMatchObject({ msg: 'all parts are up', parts: 3 });
      little.program.kill(signal);
      expect(await little.program.ended).toBe(0);
      expect(little.program.last('stopping')).toMatchObject({ level: 'info', reason: signal });
      expect(little.closed()).toEqual(['reload', 'part 3', 'part 2', 'part 1', 'life']);
      expect(little.program.lines.at(-1)).toMatchObject({ event: 'stopped' });
    },
  );

  it.each([1, 2, 3])('at step %i of the start closes what stands, and what comes up late', async (step) => {
    await using little = await startLittle({ waits: step });
    await little.part(step);
    little.program.kill('SIGTERM');
    await until('it stops', () => little.program.last('stopping'));
    await little.touch(`go-${step}`);
    // A machine that is too busy to finish the step in time has it left behind.
    const end = await little.program.ended;
    expect([0, 'SIGTERM']).toContain(end);
    const isClosed = (part: number): boolean => little.isThere(`closed-${part}`);
    expect([1, 2, 3].filter((part) => part < step && !isClosed(part))).toEqual([]);
    expect([1, 2, 3].filter((part) => part > step && isClosed(part))).toEqual([]);
    if (end === 0) expect(isClosed(step)).toBe(true);
    expect(little.program.last('ready')).toBeUndefined();
  });

  it('does not wait for a step of the start that never ends', async () => {
    await using little = await startLittle({ waits: 2 });
    await little.part(2);
    little.program.kill('SIGINT');
    expect(await little.program.ended).toBe('SIGINT');
    expect(little.isThere('closed-1')).toBe(true);
  });

  it('leaves a part behind that never closes, with the same exit code', async () => {
    await using little = await startLittle({ sticks: 2, stopLimitMs: STOP_MS });
    await little.program.ready();
    little.program.kill('SIGTERM');
    expect(await little.program.ended).toBe(0);
    const left = little.program.lines.find(({ msg }) => msg?.includes('left behind'));
    expect(left).toMatchObject({ level: 'warn', part: 'part 2' });
    expect(little.isThere('closed-1')).toBe(true);
    expect(little.program.lines.at(-1)).toMatchObject({ event: 'stopped' });
  });

  it.skipIf(process.platform === 'win32')(
    'ends by the signal where a file never answers, for which an exit would wait',
    async () => {
      await using little = await startLittle({ hangs: true, stopLimitMs: STOP_MS });
      await little.program.ready();
      little.program.kill('SIGTERM');
      expect(await little.program.ended).toBe('SIGTERM');
      expect(little.program.lines.at(-1)?.msg).toContain('took too long');
    },
  );

  it('is not waited for by who asks twice', async () => {
    await using little = await startLittle({ sticks: 2 });
    await little.program.ready();
    const timer = setInterval(() => little.program.kill('SIGINT'), AGAIN_MS);
    expect(await little.program.ended.finally(() => clearInterval(timer))).toBe('SIGINT');
    expect(little.program.lines.filter(({ msg }) => msg?.includes('took too long'))).toEqual([]);
  });

  it('comes by a part that ends by itself, with exit code 1', async () => {
    await using little = await startLittle({ endsBy: 'end' });
    await little.program.ready();
    await little.touch('end');
    expect(await little.program.ended).toBe(1);
    expect(little.program.last('stopping')).toMatchObject({ level: 'error', reason: 'a part has ended' });
    expect(little.closed()).toHaveLength(5);
  });

  it('comes by the end of who started it', async () => {
    await using little = await startPiped({});
    await until('it is ready', () => little.said().includes('"ready"'));
    little.child.disconnect();
    expect(await little.ended).toBe(0);
    expect(little.said()).toContain('"parent ended"');
  });

  it('comes also when that one has ended before it heard of anything', async () => {
    await using little = await startPiped({});
    little.child.disconnect();
    expect(await little.ended).toBe(0);
    expect(little.said()).toContain('"parent ended"');
  });

  it('comes by the end of who reads its output', async () => {
    await using little = await startPiped({ waits: 3 });
    await until('it starts', () => little.said().includes('"part":3'));
    little.child.stdout?.destroy();
    await writeFile(little.path('go-3'), '');
    expect(await little.ended).toBe(0);
    expect(existsSync(little.path('closed-1'))).toBe(true);
  });
});

it.skipIf(!existsSync('/dev/full'))('a log on a full disk is no reason to stop', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'settings.json');
  await writeFile(file, JSON.stringify({ endsBy: 'end' }));
  await writeFile(join(folder.path, 'end'), '');
  const full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, [SCRIPT, file], { stdio: ['ignore', full.fd, 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // It ends by its part, as told, and not by its first line.
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
  await full.close();
  expect(said).toMatch(/^stratum-bridge: the log lacks lines from now on: ENOSPC.*\n$/);
});

describe('a start that fails', () => {
  it('closes what stands, and is told with exit code 1', async () => {
    await using little = await startLittle({ fails: 3 });
    expect(await little.program.ended).toBe(1);
    expect(little.program.stderr()).toContain('part 3 has failed');
    expect(little.closed()).toEqual(['part 2', 'part 1', 'life']);
  });

  it('is told also when a part does not close', async () => {
    await using little = await startLittle({ fails: 3, sticks: 2, stopLimitMs: STOP_MS });
    expect(await little.program.ended).toBe(1);
    expect(little.program.stderr()).toContain('part 3 has failed');
    expect(little.isThere('closed-1')).toBe(true);
  });

  it.each(['faults', 'problems'])('by %s of its settings opens nothing, with exit code 2', async (kind) => {
    await using little = await startLittle({ [kind]: ['live: is wrong', 'fixed: too'] });
    expect(await little.program.ended).toBe(2);
    expect(little.program.stderr()).toContain('live: is wrong\nstratum-bridge: fixed: too\n');
    expect(little.program.lines).toEqual([]);
  });
});

describe('SIGHUP without a terminal', () => {
  it('puts in force what can change, and says what wants a restart', async () => {
    await using little = await startLittle({});
    await little.program.ready();
    const said = await little.reload({ live: 2, fixed: 2, 'log.level': 'info' }, 3);
    expect(Object.fromEntries(said.map(({ key, state }) => [key, state]))).toEqual({
      'log.level': 'took effect',
      live: 'took effect',
      fixed: 'requires a restart',
    });
    expect(little.program.last('applying')).toMatchObject({ live: 2 });
    expect(await little.reload({ live: 2, 'log.level': 'info' })).toMatchObject([{ state: 'unchanged' }]);
    little.program.kill('SIGTERM');
    expect(await little.program.ended).toBe(0);
    expect(little.closed()).toEqual([]); // those lines are for the former level
  });

  it.each(['faults', 'problems'])('changes nothing for %s of the settings, and says each', async (kind) => {
    await using little = await startLittle({});
    await little.program.ready();
    const bad = { live: 2, [kind]: ['live: is wrong', 'fixed: is wrong, too'] };
    const said = await little.reload(bad, 2);
    expect(said.map(({ level, state, problem }) => [level, state, problem])).toEqual([
      ['error', 'refused', 'live: is wrong'],
      ['error', 'refused', 'fixed: is wrong, too'],
    ]);
    expect(little.program.last('applying')).toBeUndefined();
    expect(await little.reload({ live: 2 })).toMatchObject([{ key: 'live', state: 'took effect' }]);
  });

  it('does not end a service that has not yet begun to listen', async () => {
    await using little = await startLittle({}, ['early']);
    await until('it has begun', () => little.program.last('early'));
    little.program.kill('SIGHUP');
    await little.touch('go-early');
    expect(await little.program.ready()).toBeDefined();
  });

  it('is not lost in the middle of the start, or of another one', async () => {
    const rest = { waits: 3, slowReload: true };
    await using little = await startLittle(rest);
    const { program } = little;
    await little.part(3);
    await little.settings({ ...rest, live: 2 });
    program.kill('SIGHUP');
    // Whatever comes first of both: the end of the start, or the signal.
    await little.touch('go-3');
    await until('the first reload', () => program.last('applying'));
    expect(program.last('ready')).toBeDefined();
    await little.settings({ ...rest, live: 3 });
    program.kill('SIGHUP');
    await little.touch('apply-1');
    await until('the second reload', () => program.last('applying')?.['count'] === 2);
    expect(program.last('applying')).toMatchObject({ live: 3 });
    await little.touch('apply-2');
    await until('both are told', () => program.lines.filter(({ event }) => event === 'reload').length === 2);
  });

  it('is finished before the parts are closed', async () => {
    await using little = await startLittle({ slowReload: true });
    const { program } = little;
    await program.ready();
    program.kill('SIGHUP');
    await until('the reload', () => program.last('applying'));
    program.kill('SIGTERM');
    await until('it stops', () => program.last('stopping'));
    expect(little.closed()).toEqual([]);
    await little.touch('apply-1');
    expect(await program.ended).toBe(0);
    expect(little.closed()).toHaveLength(5);
  });
});

describe.skipIf(noTerminals)('SIGHUP of a terminal', () => {
  it.each(['goes', 'stays'])('that %s is a wish to stop', async (what) => {
    await using folder = await temporaryFolder();
    const path = (name: string): string => join(folder.path, name);
    await writeFile(path('settings.json'), '{}');
    await using little = startOnTerminal([200, 50], [process.execPath, SCRIPT, path('settings.json')]);
    const says = (text: string): boolean => little.emulator.rows().some((row) => row.includes(text));
    await until('it is ready', () => says('"ready"'));
    if (what === 'goes') little.hangUp();
    else little.kill('SIGHUP');
    expect(await little.ended).toBe(0);
    expect([1, 2, 3].filter((part) => !existsSync(path(`closed-${part}`)))).toEqual([]);
    expect(says('"reason":"SIGHUP"')).toBe(what === 'stays');
  });
});
