/** Time of the processors, which other load on the machine does not change by much. Of PostgreSQL it is read from Linux. */
import { existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type pg from 'pg';

export interface Took {
  readonly seconds: number;
  /** Of all processes of the database; `undefined` where that cannot be seen. */
  readonly postgres: number | undefined;
  /** Of this process. */
  readonly node: number;
}

/** Linux counts hundredths. */
const TICKS = 100;

export async function took(pool: pg.Pool, act: () => Promise<unknown>): Promise<Took> {
  const server = await serverOf(pool);
  const [fromMs, node, postgres] = [performance.now(), process.cpuUsage(), secondsOf(server)];
  await act();
  const { user, system } = process.cpuUsage(node);
  const after = secondsOf(server);
  return {
    seconds: (performance.now() - fromMs) / 1000,
    postgres: postgres === undefined || after === undefined ? undefined : after - postgres,
    node: (user + system) / 1e6,
  };
}

/** The process that started all others of the database. */
async function serverOf(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return statOf(rows[0]?.pid ?? 0)?.parent;
}

function secondsOf(server: number | undefined): number | undefined {
  const own = server === undefined ? undefined : statOf(server);
  if (!own) return undefined;
  const children = readdirSync('/proc')
    .map((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : undefined))
    .filter((stat) => stat?.parent === server);
  return children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), own.ticks + own.ended) / TICKS;
}

/** Ticks of a process, and of its children that have ended. */
function statOf(pid: number): { parent: number; ticks: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent, ticks: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has ended, or this is no Linux.
    return undefined;
  }
}

/** Milliseconds of the processor of this thread alone: the collector and the compiler have threads of their own. Stands still off Linux. */
export function threadClock(): () => number {
  const path = `/proc/self/task/${process.pid}/schedstat`;
  if (!existsSync(path)) return () => 0;
  const [file, text] = [openSync(path, 'r'), Buffer.alloc(64)];
  return () => {
    // Linux brings it up to date when this is asked for; else it is as of the last tick, up to 4 ms ago.
    process.cpuUsage();
    const length = readSync(file, text, 0, text.length, 0);
    return Number.parseInt(text.toString('latin1', 0, length), 10) / 1e6;
  };
}
