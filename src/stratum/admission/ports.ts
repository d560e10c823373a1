/** The ports that rigs come in by: each has a name, an address, a transport, and rules of its own. */
import type { Socket } from 'node:net';
import type { PortRules, RigRules, Wanted } from '../rig-rules.js';
import { type Arrivals, type Serve, serveByFirstBytes } from './arrivals.js';
import type { Accept, Connection, ConnectionEvents } from './connection.js';
import { type Listen, type ListenAddress, type Listener, StratumListenError } from './listener.js';
import { serveTcp } from './tcp.js';
import { WsUpgrader } from './ws.js';

/** `both`: the first bytes of each connection tell. */
const PORT_TRANSPORTS = ['tcp', 'ws', 'both'] as const;

export interface PortOptions {
  /** No other port has it. */
  readonly name: string;
  readonly transport: (typeof PORT_TRANSPORTS)[number];
  readonly address: ListenAddress;
}

/** One that listens. */
export interface OpenPort extends PortOptions {
  /** As really bound. */
  readonly address: ListenAddress;
  /** `off` where there is no certificate. */
  readonly tls: Wanted;
  /** Open ones that came in by it. */
  readonly sessions: number;
}

interface PortsParts {
  readonly arrivals: Arrivals;
  readonly rules: RigRules;
  /** Web pages that may open a WebSocket, by their Origin; `*` for all. */
  readonly origins: readonly string[];
  readonly hasCertificate: boolean;
  readonly listen: Listen;
  accept(connection: Connection, rules: PortRules): ConnectionEvents;
}

export class Ports {
  readonly #parts: PortsParts;
  #open: (PortOptions & { readonly listener: Listener })[] = [];
  /** Those that rest, as they were bound. */
  #resting: readonly PortOptions[] = [];
  #closed = false;
  /** By name. */
  readonly #sessions = new Map<string, number>();

  constructor(parts: PortsParts) {
    this.#parts = parts;
  }

  get open(): readonly OpenPort[] {
    return this.#bound.map((port) => this.#shown(port));
  }

  /** Also those that rest. */
  get all(): readonly OpenPort[] {
    return [...this.#bound, ...this.#resting].map((port) => this.#shown(port));
  }

  get #bound(): readonly PortOptions[] {
    return this.#open.map(({ listener: { address }, ...port }) => ({ ...port, address }));
  }

  #shown({ name, transport, address }: PortOptions): OpenPort {
    const { rules, hasCertificate } = this.#parts;
    const tls = hasCertificate ? rules.at(name).tls : 'off';
    return { name, transport, address, tls, sessions: this.#sessions.get(name) ?? 0 };
  }

  /** Whether each can be had. Rejects with StratumListenError; one that was inherited is not this process's to close. */
  async check(ports: readonly PortOptions[]): Promise<void> {
    for (const { name, address } of ports.filter(isOwn))
      (await this.#listenAt(name, address, (socket) => socket.destroy())).close();
  }

  /** One after the other. Rejects with StratumListenError; those that are open then stay so. */
  async listen(ports: readonly PortOptions[]): Promise<void> {
    for (const port of ports) {
      const rules = this.#parts.rules.at(port.name);
      const serve = this.#serving(port, rules);
      const onSocket = (socket: Socket): void => this.#parts.arrivals.open(socket, rules, serve);
      const listener = await this.#listenAt(port.name, port.address, onSocket);
      if (this.#closed) listener.close();
      else this.#open.push({ ...port, listener });
    }
  }

  /** Nobody can connect until `resume`, so that balancers and rigs go elsewhere; an inherited socket is not this process's to close. */
  rest(): void {
    const own = this.#open.filter(isOwn);
    this.#resting = [...this.#resting, ...this.#bound.filter(isOwn)];
    this.#open = this.#open.filter((port) => !isOwn(port));
    for (const { listener } of own) listener.close();
  }

  /** Rejects with StratumListenError where another program has taken a port meanwhile; those that are left rest on. */
  async resume(): Promise<void> {
    for (const port of this.#resting) {
      await this.listen([port]);
      this.#resting = this.#resting.filter((each) => each !== port);
    }
  }

  close(): void {
    this.#closed = true;
    for (const { listener } of this.#open.splice(0)) listener.close();
  }

  /** A session that came in by this port has ended. */
  left({ name }: PortRules): void {
    this.#sessions.set(name, (this.#sessions.get(name) ?? 0) - 1);
  }

  async #listenAt(...[name, address, onSocket]: Parameters<Listen>): Promise<Listener> {
    return this.#parts.listen(name, address, onSocket).catch((error: Error) => {
      throw error instanceof StratumListenError ? error : new StratumListenError(name, address, error);
    });
  }

  #serving({ transport }: PortOptions, rules: PortRules): Serve {
    const { limits } = rules;
    const accept: Accept = (connection) => {
      this.#sessions.set(rules.name, (this.#sessions.get(rules.name) ?? 0) + 1);
      return this.#parts.accept(connection, rules);
    };
    const lines: Serve = (visitor) => {
      visitor.arrived();
      serveTcp(visitor, limits.lineBytes, accept);
    };
    if (transport === 'tcp') return lines;
    const upgrading = new WsUpgrader({ limits, origins: this.#parts.origins }, accept);
    const http: Serve = (visitor) => upgrading.handle(visitor);
    return transport === 'ws' ? http : serveByFirstBytes(http, lines);
  }
}

function isOwn({ address }: PortOptions): boolean {
  return address.fd === undefined;
}
