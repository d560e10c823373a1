/**
 * The sockets that rigs connect to, bound once by the hub and inherited by each front. The hub never takes a connection. While no
 * front lives, the system holds those that come.
 *
 * `net._createServerHandle` is what `node:cluster` binds its shared sockets with: the one way in Node.js to have a bound socket
 * without an event loop that accepts from it.
 */
import * as net from 'node:net';
import { getSystemErrorMap, isDeepStrictEqual } from 'node:util';
import { type ListenAddress, listenAt, type SocketHandle } from '../../core/names/listening.js';

interface Handle extends SocketHandle {
  getsockname(out: { address?: string; port?: number }): number;
}

type CreateServerHandle = {
  (address: string, port: number, addressType: 4 | 6, fd: null, flags: number): Handle | number;
  (address: null, port: null, addressType: null, fd: number): Handle | number;
};

const createHandle = (net as unknown as { readonly _createServerHandle: CreateServerHandle })
  ._createServerHandle;

/** One port of rigs. */
export interface BoundSocket {
  readonly name: string;
  /** As really bound. */
  readonly address: ListenAddress;
  /** Inherited by each front. */
  readonly fd: number;
  readonly handle: SocketHandle;
}

/** A port as it is wanted. */
export interface WantedSocket {
  readonly name: string;
  readonly listen: ListenAddress;
}

interface Bound extends BoundSocket {
  readonly asked: ListenAddress;
  /** Not one that another program has opened for this one. */
  readonly isOurs: boolean;
}

/** What is to be bound next, in place of all that is now. */
export interface NextSockets {
  readonly all: readonly BoundSocket[];
  /** From now on these are all. */
  take(): void;
  /** Those that are new are closed again. */
  drop(): void;
}

/** Whose address cannot be had, by its name; the cause has the code of the system. */
export class BindError extends Error {
  override readonly name = 'BindError';
  readonly code = 'bind';
  readonly port: string;
  readonly address: ListenAddress;

  constructor(port: string, address: ListenAddress, cause: Error) {
    super(`the address of port ${port} cannot be had: ${cause.message}`, { cause });
    this.port = port;
    this.address = address;
  }
}

export class BoundSockets {
  #bound: readonly Bound[] = [];
  /** By descriptor: those that another program has opened for this one stay open whatever comes. */
  readonly #given = new Map<number, Handle>();

  get all(): readonly BoundSocket[] {
    return this.#bound;
  }

  /**
   * Opens what is not open yet; the others stay as they are. Rejects with {@link BindError}, and nothing new is open then.
   *
   * @param kept descriptors of those that listen already, by name: from the bridge whose place this one takes.
   */
  async change(
    wanted: readonly WantedSocket[],
    kept: ReadonlyMap<string, number> = new Map(),
  ): Promise<NextSockets> {
    const all: Bound[] = [];
    const fresh: Bound[] = [];
    const drop = (): void => close(fresh);
    for (const { name, listen } of wanted) {
      const stands = this.#bound.find((each) => each.name === name && isDeepStrictEqual(each.asked, listen));
      const bound =
        stands ??
        (await this.#bind(name, listen, kept.get(name)).catch((error) => {
          drop();
          throw error;
        }));
      all.push(bound);
      if (!stands) fresh.push(bound);
    }
    const take = (): void => {
      close(this.#bound.filter((each) => !all.includes(each)));
      this.#bound = all;
    };
    return { all, take, drop };
  }

  close(): void {
    close(this.#bound);
    this.#bound = [];
  }

  async #bind(name: string, asked: ListenAddress, kept: number | undefined): Promise<Bound> {
    const isOurs = asked.fd === undefined;
    try {
      const handle = await this.#handleOf(asked, kept);
      const { address: host = asked.host, port = asked.port } = nameOf(handle);
      return { name, asked, address: { host, port }, fd: handle.fd, handle, isOurs };
    } catch (error) {
      throw new BindError(name, asked, error as Error);
    }
  }

  async #handleOf(asked: ListenAddress, kept: number | undefined): Promise<Handle> {
    if (asked.fd !== undefined) {
      const given = this.#given.get(asked.fd) ?? checked(createHandle(null, null, null, asked.fd));
      this.#given.set(asked.fd, given);
      return given;
    }
    if (kept !== undefined) return checked(createHandle(null, null, null, kept));
    return await listenAt(asked, (at) => open(at));
  }
}

async function open({ host, port }: ListenAddress): Promise<Handle> {
  const { address, family } = await lookUp(host);
  return checked(createHandle(address, port, family, null, 0));
}

function checked(handle: Handle | number): Handle {
  if (typeof handle === 'number') throw systemError(handle);
  try {
    // A port that is taken is told only when its name is asked for.
    nameOf(handle);
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

function close(sockets: readonly Bound[]): void {
  for (const { handle, isOurs } of sockets) if (isOurs) handle.close();
}

function nameOf(handle: Handle): { address?: string; port?: number } {
  const name = {};
  const error = handle.getsockname(name);
  if (error < 0) throw systemError(error);
  return name;
}

async function lookUp(host: string): Promise<{ address: string; family: 4 | 6 }> {
  const known = net.isIP(host);
  if (known) return { address: host, family: known === 6 ? 6 : 4 };
  const { lookup } = await import('node:dns/promises');
  const { address, family } = await lookup(host);
  return { address, family: family === 6 ? 6 : 4 };
}

/** @param number as libuv gives it: below 0. */
function systemError(number: number): NodeJS.ErrnoException {
  const [code = 'UNKNOWN', words = 'unknown error'] = getSystemErrorMap().get(number) ?? [];
  return Object.assign(new Error(`${code}: ${words}`), { code, errno: number });
}
