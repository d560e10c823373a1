/** A process that a primary has started: it stops when that one is gone, and is asked, and asks, together with the others. */
import cluster from 'node:cluster';
import type { Socket } from 'node:net';
import type { ListenAddress } from '../../core/names/listening.js';
import type { Answer, Membership, ToMember, ToPrimary } from './words.js';

const KEEP_ALIVE_MS = 60_000;
const VARIABLE = 'STRATUM_BRIDGE_MEMBER';

/** For {@link membershipIn}, in the environment of a process that is started. */
export function environmentOf(membership: Membership & object): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(membership) };
}

/** `undefined` where no primary has started this process. Takes the variable out of `env`, so that no child takes it for its own. */
export function membershipIn<M extends Membership>(env: NodeJS.ProcessEnv): M | undefined {
  const { [VARIABLE]: text } = env;
  delete env[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as M);
}

interface SharedListener {
  /** As really bound. */
  readonly address: ListenAddress;
  close(): void;
}

export class Member {
  readonly #answers = new Map<string, Answer>();
  readonly #waiting = new Map<number, (all: readonly unknown[]) => void>();
  /** Told where it is bound, or why it is not. */
  readonly #binding = new Map<number, (said: Extract<ToMember, { readonly listens: number }>) => void>();
  readonly #takers = new Map<string, (socket: Socket) => void>();
  #questions = 0;

  constructor() {
    // Without it Node.js ends this process at once when the primary is gone; who watches for a stop ends it in order.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    process.on('message', (word: ToMember, handle: Socket | undefined) => void this.#hear(word, handle));
    process.on('disconnect', () => {
      for (const hear of this.#waiting.values()) hear([]);
    });
  }

  up(fields: object): void {
    this.#say({ up: fields });
  }

  /** Whoever asks this of all of them is answered so by this one. */
  answer(question: string, how: Answer): void {
    this.#answers.set(question, how);
  }

  /** The answers of all, this one's first, or that of the primary. Who is silent for a moment is left out. */
  askAll(question: string, about: unknown): Promise<readonly unknown[]> {
    const id = ++this.#questions;
    if (!process.connected) return Promise.resolve([]);
    return new Promise((resolve) => {
      this.#waiting.set(id, (all) => {
        this.#waiting.delete(id);
        resolve(all);
      });
      this.#say({ asks: id, question, about });
    });
  }

  /** Takes its part of the connections of a port that all of them share. Rejects with the system's error. */
  async listen(
    port: string,
    address: ListenAddress,
    onSocket: (socket: Socket) => void,
  ): Promise<SharedListener> {
    const listens = ++this.#questions;
    this.#takers.set(port, onSocket);
    const said = await new Promise<Extract<ToMember, { readonly listens: number }>>((resolve) => {
      this.#binding.set(listens, resolve);
      this.#say({ listens, port, address });
    });
    this.#binding.delete(listens);
    if ('code' in said) {
      this.#takers.delete(port);
      throw Object.assign(new Error(said.why), { code: said.code });
    }
    const close = (): void => {
      this.#takers.delete(port);
      this.#say({ leaves: port });
    };
    return { address: said.bound, close };
  }

  async #hear(word: ToMember, handle: Socket | undefined): Promise<void> {
    if ('connection' in word) return this.#take(word.connection, handle);
    if ('listens' in word) this.#binding.get(word.listens)?.(word);
    if ('heard' in word) this.#waiting.get(word.heard)?.(word.all);
    if (!('asked' in word)) return;
    const said = await this.#answers.get(word.question)?.(word.about);
    this.#say({ answers: word.asked, said });
  }

  #take(port: string, socket: Socket | undefined): void {
    const taker = this.#takers.get(port);
    if (!taker) socket?.destroy();
    // One that has gone meanwhile has no handle.
    else if (socket) taker(socket.setKeepAlive(true, KEEP_ALIVE_MS));
  }

  /** To a primary that is gone nothing is to be said. */
  #say(word: ToPrimary): void {
    if (process.connected) process.send?.(word, undefined, undefined, () => undefined);
  }
}
