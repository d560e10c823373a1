/**
 * A service in the place of one that runs: its own command is started once more, from what lies there now, and its listening sockets
 * are handed on. The new start reads and checks its settings; then the old one stops, and the new one begins.
 *
 *     old to keeper: {"replace":[{"name":"tcp",…}]}, then {"socket":0} with each socket
 *     new: {"prepared":true} or {"failed":"…"}      keeper to old: {"prepared":4711} or {"failed":"…"}
 *     keeper to new, once the old one has ended: {"go":true}
 *
 * The process that was started first stays when it has stopped, as the keeper of those that follow it: whoever watches over it sees no
 * end, and its signals are passed on. What is started is what that process was started with: nobody who asks for it names a program
 * or its arguments.
 */
import type { SocketHandle } from '../../core/names/listening.js';
import { type Bequest, type OwnSocket, SuccessionError, startChild, type Word } from './child.js';
import { keep } from './keeper.js';

export interface Successor {
  readonly pid: number;
  /** This process has stopped. Resolves with its exit code when it may end. */
  takeOver(): Promise<number>;
  /** No other takes the place of this one, which ends. */
  dismiss(): void;
}

const VARIABLE = 'STRATUM_BRIDGE_SUCCEEDS';

/** Resolves once the other start has read and checked its settings. Rejects with {@link SuccessionError} where it cannot begin. */
export async function startSuccessor(sockets: readonly OwnSocket[]): Promise<Successor> {
  return isKept ? askKeeper(sockets) : startOwn(sockets);
}

async function startOwn(sockets: readonly OwnSocket[]): Promise<Successor> {
  const child = await startChild(VARIABLE, sockets, given);
  return {
    pid: child.pid,
    takeOver: () => keep(child, (next) => startChild(VARIABLE, next, given)),
    dismiss: () => child.kill('SIGTERM'),
  };
}

/** The keeper starts it, so that no process stays for each one that has gone. */
async function askKeeper(sockets: readonly OwnSocket[]): Promise<Successor> {
  const answer = new Promise<Word>((resolve) => process.once('message', (word: Word) => resolve(word)));
  say({ replace: sockets.map(({ name, host, port }) => ({ name, host, port })) });
  for (const [socket, { handle }] of sockets.entries()) say({ socket }, handle);
  const word = await answer;
  if (!('prepared' in word))
    throw new SuccessionError('failed' in word ? word.failed : 'no start was prepared');
  return {
    pid: Number(word.prepared),
    takeOver: async () => 0,
    dismiss: () => say({ dismissed: true }),
  };
}

/** To a keeper that has ended nothing is to be said. */
function say(word: Word, handle?: SocketHandle): void {
  process.send?.(word, handle as never, undefined, () => undefined);
}

/** This process takes the place of another. */
let isKept = false;
/** As {@link Bequest.given}. */
let given: ReadonlyMap<string, number> = new Map();

/** Sockets that this process was handed by whoever started it: all that follow it have them too. */
export function passOn(sockets: ReadonlyMap<string, number>): void {
  given = sockets;
}

/** In the new process. */
export interface Succession {
  readonly sockets: Bequest['sockets'];
  /** As of {@link Bequest}, name -> descriptor. */
  readonly given: ReadonlyMap<string, number>;
  /** The settings are right. Resolves once the other process has stopped; never where it ends otherwise. */
  turn(): Promise<void>;
  /** It ends here. */
  failed(why: string): void;
}

/** `undefined` where this process takes nobody's place. Takes the variable out of `env`, so that no child takes it for its own. */
export function takeSuccession(env: NodeJS.ProcessEnv): Succession | undefined {
  const { [VARIABLE]: text } = env;
  delete env[VARIABLE];
  if (text === undefined || !process.send) return undefined;
  isKept = true;
  const bequest = JSON.parse(text) as Bequest;
  return {
    sockets: bequest.sockets,
    given: new Map(bequest.given),
    turn: () =>
      new Promise((resolve) => {
        process.once('message', () => resolve());
        say({ prepared: true });
      }),
    failed: (why) => say({ failed: why }),
  };
}

export type { OwnSocket } from './child.js';
