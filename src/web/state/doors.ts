/** Where rigs connect to. */

export interface Door {
  /** As bound: `0.0.0.0` and `::` stand for every address of the machine. */
  readonly host: string;
  readonly port: number;
  /** TLS is taken on this port too. */
  readonly tls: boolean;
}

/** One is absent where it is off, or not open yet. */
export interface Doors {
  readonly tcp?: Door;
  readonly ws?: Door;
}
