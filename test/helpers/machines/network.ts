/**
 * Machines in a network of the story's own: a namespace each, at the addresses that `config/deploy/machines` has, and one folder
 * `/etc` that only they see. To be used isolated (`../isolated.ts`): all of it ends with the process.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../processes/isolated.js';

/** What is written there is gone with the mounts of the story. */
const SCRATCH = '/mnt';
const PRIVATE = { balancer: 10, machine1: 11, machine2: 12, books: 20, node: 30 } as const;
/** The story itself: Prometheus, and an anonymous user in the private network. */
export const WATCH = '10.18.0.40';
export const BALANCER = '203.0.113.10';
/** The story itself, as a rig. */
export const VISITOR = '203.0.113.50';

export type Machine = keyof typeof PRIVATE;

export const addressOf = (machine: Machine): string => `10.18.0.${PRIVATE[machine]}`;
export const rigAddress = (rig: number): string => `203.0.113.${100 + rig}`;
/** Of its data. */
export const folderOf = (machine: Machine): string => join(SCRATCH, machine);
/** What goes before a command that runs there. */
export const at = (place: string): string[] => ['ip', 'netns', 'exec', place];

/** All of them, and rigs 1 to `rigs`. */
export function makeMachines(rigs: number): void {
  makeFolders();
  makeLan('private', WATCH);
  makeLan('public', VISITOR);
  for (const machine of Object.keys(PRIVATE) as Machine[]) {
    makePlace(machine);
    plugIn(machine, 'private', addressOf(machine));
  }
  plugIn('balancer', 'public', BALANCER);
  for (let rig = 1; rig <= rigs; rig++) {
    makePlace(`rig${rig}`);
    plugIn(`rig${rig}`, 'public', rigAddress(rig));
  }
}

/** The cable to the private network. */
export function setCable(machine: Machine, isIn: boolean): void {
  run('ip', ['-n', machine, 'link', 'set', 'private', isIn ? 'up' : 'down']);
}

/** Packets of a machine to another are dropped, or are not any more. */
export function setRoad(from: Machine, to: Machine, isOpen: boolean): void {
  run('ip', ['-n', from, 'route', isOpen ? 'del' : 'add', 'blackhole', addressOf(to)]);
}

export function writeFile(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

function makeFolders(): void {
  run('mount', ['-t', 'tmpfs', 'none', SCRATCH]);
  run('mount', ['-t', 'tmpfs', 'none', '/run']);
  const [upper, work] = [join(SCRATCH, 'etc'), join(SCRATCH, 'etc-work')];
  for (const folder of [upper, work]) mkdirSync(folder);
  run('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=/etc,upperdir=${upper},workdir=${work}`, '/etc']);
}

function makeLan(lan: string, own: string): void {
  run('ip', ['link', 'add', lan, 'type', 'bridge']);
  run('ip', ['addr', 'add', `${own}/24`, 'dev', lan]);
  run('ip', ['link', 'set', lan, 'up']);
}

function makePlace(place: string): void {
  run('ip', ['netns', 'add', place]);
  run('ip', ['-n', place, 'link', 'set', 'lo', 'up']);
}

function plugIn(place: string, lan: 'private' | 'public', address: string): void {
  const outer = `${place}-${lan.slice(0, 3)}`;
  run('ip', ['link', 'add', outer, 'type', 'veth', 'peer', 'name', lan, 'netns', place]);
  run('ip', ['link', 'set', outer, 'master', lan, 'up']);
  run('ip', ['-n', place, 'addr', 'add', `${address}/24`, 'dev', lan]);
  run('ip', ['-n', place, 'link', 'set', lan, 'up']);
}
