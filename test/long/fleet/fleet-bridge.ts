/** A bridge of two fronts as a service manager runs it: started again whenever it ends, until it comes up. */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessReport } from '../../../src/web/state/processes.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';

/** How its manager takes it that the hub was killed. */
export const MANAGERS = ['kills the fronts', 'waits for the fronts', 'starts at once'] as const;
export type Manager = (typeof MANAGERS)[number];

export const FRONTS = 2;
/** As the unit of systemd in config/deploy has it. */
const RESTART_MS = 2_000;
const MOST_STARTS = 30;
/** After it the unit is not started again. */
const WRONG_SETTING = 2;
const MIB = 2 ** 20;

interface Shown {
  readonly processes: readonly ProcessReport[];
}

export interface Reloaded {
  readonly tookEffect: readonly string[];
  readonly wantsRestart: readonly string[];
}

export class FleetBridge {
  /** Of all starts, with those that did not come up. */
  readonly starts: Program[] = [];
  /** Hubs and fronts that ever were, as {@link bornAt} knows them. */
  readonly #born = new Set<string>();
  readonly #config: string;
  readonly #dataDir: string;
  readonly #web: string;

  constructor(config: string, dataDir: string, web: string) {
    this.#web = web;
    this.#config = config;
    this.#dataDir = dataDir;
  }

  async start(): Promise<void> {
    const up = await startAgain(() => {
      const program = startProgram(['serve', '--config', this.#config]);
      this.starts.push(program);
      return program;
    });
    await this.#remember(up.pid);
    await this.processes();
  }

  /** As the bridge says, its hub among them. After a replacement that is not the process that was started. */
  async processes(): Promise<readonly ProcessReport[]> {
    const { processes } = (await (await fetch(`${this.#web}/api/v1/processes`)).json()) as Shown;
    for (const { pid } of processes) await this.#remember(pid);
    return processes;
  }

  async #remember(pid: number): Promise<void> {
    const born = await bornAt(pid);
    if (born !== undefined) this.#born.add(`${pid} ${born}`);
  }

  /** Of all that ever were those that have not ended. */
  async living(): Promise<string[]> {
    const all = [...this.#born];
    const now = await Promise.all(all.map((each) => bornAt(Number.parseInt(each, 10))));
    return all.filter((each, i) => each.endsWith(` ${now[i]}`));
  }

  /** Of those that let rigs in, in the order of their numbers, from 0 on. Resolves once another one is in its place. */
  async killFront(which: number): Promise<void> {
    const { number, pid } = await until('all fronts are up', async () => {
      const up = await this.#frontsUp();
      return up.length === FRONTS && up[which];
    });
    process.kill(pid, 'SIGKILL');
    await until('another front is in its place', async () =>
      (await this.#frontsUp()).some((one) => one.number === number && one.pid !== pid),
    );
  }

  /** No front of before is left. */
  async isSettled(): Promise<void> {
    await until('none but its fronts is left', async () => {
      const fronts = (await this.processes()).filter(({ kind }) => kind === 'front');
      return fronts.length === FRONTS && fronts.every(({ state }) => state === 'up');
    });
  }

  /** @param rushMs so long after one of its fronts: then the other one gives away many of the rigs that come. */
  async killHub(manager: Manager, rushMs?: number): Promise<void> {
    const [hub = 0, ...fronts] = (await this.processes()).map(({ pid }) => pid);
    if (rushMs !== undefined && fronts[0]) {
      process.kill(fronts[0], 'SIGKILL');
      await pause(rushMs);
    }
    process.kill(hub, 'SIGKILL');
    if (manager === 'kills the fronts')
      for (const pid of fronts) if (lives(pid)) process.kill(pid, 'SIGKILL');
    // The output of the one that was started is closed by the last of them.
    if (manager !== 'starts at once') await this.#started.ended;
    if (manager === 'kills the fronts') await pause(RESTART_MS);
    await this.start();
  }

  /**
   * Resolves with the keys that changed: those in force, and those that wait for a restart. One that is refused, as new fronts cannot have
   * numbers while the database is away, is asked for again.
   */
  async reload(): Promise<Reloaded> {
    return until('a reload is taken', async () => {
      const { code, stderr, text } = await runProgram([
        'ctl',
        'reload',
        '--json',
        '--data-dir',
        this.#dataDir,
      ]);
      if (code === 0) return JSON.parse(text) as Reloaded;
      if (!/not all settings could be changed/.test(stderr))
        throw new Error(`ctl reload ended with ${code}: ${stderr}`);
      return undefined;
    });
  }

  /** A new start takes over from the one that runs. */
  async replace(): Promise<void> {
    const { code, text, stderr } = await runProgram(['serve', '--replace', '--data-dir', this.#dataDir]);
    if (code !== 0) throw new Error(`serve --replace ended with ${code}: ${text}${stderr}`);
    await this.processes();
  }

  async stop(): Promise<number | string> {
    this.#started.kill('SIGTERM');
    return this.#started.ended;
  }

  /** MiB of the hub, and of all fronts together. */
  async memory(): Promise<{ hub: number; fronts: number }> {
    const [hub = 0, ...fronts] = await Promise.all((await this.processes()).map(({ pid }) => memoryOf(pid)));
    return { hub, fronts: fronts.reduce((sum, one) => sum + one, 0) };
  }

  /** Of each front that lets rigs in. */
  async sessions(): Promise<number[]> {
    return (await this.#frontsUp()).map(({ sessions }) => sessions);
  }

  /** What went wrong, by how often it was said; of no single share, rig or time. */
  said(level: 'warn' | 'error'): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { lines } of this.starts)
      for (const line of lines.filter((one) => one.level === level)) {
        const what = `${line.msg} ${line['error'] ?? ''}`.replace(/[0-9a-f-]{8,}|\d+/g, '#');
        counts[what] = (counts[what] ?? 0) + 1;
      }
    return counts;
  }

  async #frontsUp(): Promise<readonly ProcessReport[]> {
    return (await this.processes()).filter(({ kind, state }) => kind === 'front' && state === 'up');
  }

  get #started(): Program {
    const started = this.starts.at(-1);
    if (!started) throw new Error('it was never started');
    return started;
  }
}

/** Until it is up. Throws when the manager would give up. */
export async function startAgain(start: () => Program): Promise<Program> {
  for (let tries = 1; ; tries++) {
    const program = start();
    const isUp = await program.ready().then(
      () => true,
      () => false,
    );
    if (isUp) return program;
    const code = await program.ended;
    if (code === WRONG_SETTING || tries === MOST_STARTS)
      throw new Error(`it does not come up, and ends with ${code}: ${program.stderr()}`);
    await pause(RESTART_MS);
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

/** When it was started, in ticks since the machine was: ids are given to others again. `undefined` where there is none. */
async function bornAt(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / MIB);
}
