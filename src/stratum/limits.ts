/** How much one rig, or all together, may take. Past a limit there is an answer or a closed connection with a reason. */
export interface StratumLimits {
  /** Bytes of one line, and of one WebSocket frame. */
  readonly lineBytes: number;
  /** Unsent bytes of a connection from which on it gets no more jobs until it has drained. */
  readonly jobBufferBytes: number;
  /** Unsent bytes of a connection that end it. */
  readonly writeBufferBytes: number;
  /** From connecting to the first whole message. */
  readonly handshakeTimeoutMs: number;
  /** From connecting to the first good authorize. */
  readonly authorizeTimeoutMs: number;
  /** Without any message from the rig. */
  readonly idleTimeoutMs: number;
  /** How long a connection may stay too full for jobs. */
  readonly fullBufferTimeoutMs: number;
  /** Lines that are no valid message, in `invalidWindowMs`; one more ends the connection. */
  readonly invalidMessages: number;
  readonly invalidWindowMs: number;
  /** Names that one session may authorize. */
  readonly loginsPerSession: number;
  /** Characters of a login, account and rig together. */
  readonly loginCharacters: number;
  /** Submits of one session that wait for their verdict. */
  readonly pendingSubmits: number;
}

export const STRATUM_LIMITS: StratumLimits = {
  lineBytes: 8192,
  jobBufferBytes: 16 * 1024,
  writeBufferBytes: 256 * 1024,
  handshakeTimeoutMs: 10_000,
  authorizeTimeoutMs: 30_000,
  idleTimeoutMs: 600_000,
  fullBufferTimeoutMs: 30_000,
  invalidMessages: 20,
  invalidWindowMs: 60_000,
  loginsPerSession: 16,
  loginCharacters: 256,
  pendingSubmits: 1000,
};
