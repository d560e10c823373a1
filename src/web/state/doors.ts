/** Where rigs connect to. */

export interface Door {
  /** The name of the port. */
  readonly name: string;
  /** `both`: each connection as it begins. */
  readonly transport: 'tcp' | 'ws' | 'both';
  /** As bound: `0.0.0.0` and `::` stand for every address of the machine. */
  readonly host: string;
  readonly port: number;
  /** `also`: TLS is taken beside plain connections; `only`: nothing else is. */
  readonly tls: 'off' | 'also' | 'only';
  /** Open ones that came in by it. */
  readonly sessions: number;
}

export interface Doors {
  /** Rigs can come, where there are ports at all. */
  readonly areOpen: boolean;
  /** Those that are open. */
  readonly ports: readonly Door[];
}
