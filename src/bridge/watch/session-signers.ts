/** Sessions of people hold at every bridge on a ledger: each shows the others by what it signs them. */

/** Who signs sessions. Nothing of it is secret. */
export interface SessionSigner {
  /** Public, of Ed25519: SPKI as DER, in base64url. */
  readonly key: string;
  /** Of the tokens that sign in there now: what its sessions by these have in them. */
  readonly tokens: readonly string[];
}

export interface SessionSigners {
  /** From now on the others are shown this, as it is at the time. */
  show(own: () => SessionSigner): void;
  /** Also of bridges that have stopped, for as long as the ledger knows them. Rejects while that is away. */
  all(): Promise<readonly SessionSigner[]>;
}
