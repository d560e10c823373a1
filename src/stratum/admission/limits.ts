/** How much one rig, or all together, may take. Past a limit there is an answer or a closed connection with a reason. */
export interface StratumLimits {
  /** Open connections in all; further ones are closed at once. */
  readonly connections: number;
  /** Open connections of one address (IPv6: of one /64); further ones are closed at once. */
  readonly connectionsPerAddress: number;
  /** New connections a second in all; further ones wait for their turn. */
  readonly connectsPerSecond: number;
  /** New connections a second of one address; further ones wait, and others have their turns meanwhile. */
  readonly connectsPerSecondPerAddress: number;
  /** New connections that may come at once on top of that rate. */
  readonly connectBurst: number;
  /** Connections that may wait for their turn; past it the address with most of them loses its first one. */
  readonly connectsWaiting: number;
  /** Bytes of one line, and of one WebSocket frame; past it the connection is closed. */
  readonly lineBytes: number;
  /** Unsent bytes of a connection from which on it gets no more jobs until it has drained. */
  readonly jobBufferBytes: number;
  /** How long a connection may stay too full for jobs before it is closed. */
  readonly fullBufferTimeoutMs: number;
  /** Unsent bytes of a connection that end it. */
  readonly writeBufferBytes: number;
  /** From connecting to the first whole message, TLS and WebSocket handshakes included. */
  readonly handshakeTimeoutMs: number;
  /** From connecting to the first good authorize. */
  readonly authorizeTimeoutMs: number;
  /** Without any message from a rig that does not work, and for a message that was begun. */
  readonly idleTimeoutMs: number;
  /** Messages of one session; submits past it are refused with code 20 (a solution among them still counts). */
  readonly messagesPerSecond: number;
  /**
   * What all sessions of an address may send, in messages: lines and frames, empty ones and pings too, and one for each
   * 256 bytes; good shares are free, connections and handshakes count by their cost. Past it, who sends most is not read for
   * a while, then, unless it mines, closed and banned.
   */
  readonly messagesPerSecondPerAddress: number;
  /** Messages that may come at once on top of that rate; past ten times the rate they are not even read until later, and who goes on is closed. */
  readonly messageBurst: number;
  /** Lines that are no valid message, in `invalidWindowMs`; one more closes the connection, and again and again bans. */
  readonly invalidMessages: number;
  /** Wrong submits, more than the good ones, in `invalidWindowMs`; one more closes the rig, and bans it as a rule. */
  readonly invalidSubmits: number;
  readonly invalidWindowMs: number;
  /** Guesses of passwords of one address in `invalidWindowMs`, times its good rigs; one more bans the address. */
  readonly wrongLogins: number;
  /** How late a wrong account or password is answered. */
  readonly refusalDelayMs: number;
  readonly banMs: number;
  /** Banned rigs of one address that ban the address, if they are more than the good ones. */
  readonly bannedRigsPerAddress: number;
  /** Names that one session may authorize; further ones are refused with code 24. */
  readonly loginsPerSession: number;
  /** Characters of a login; longer ones are refused with code 24. */
  readonly loginCharacters: number;
  /** Shares a second of a rig that chose its difficulty itself; a faster one gets a higher difficulty. */
  readonly sharesPerSecond: number;
  /** Submits of one session that wait for their verdict; further ones are refused with code 20. */
  readonly pendingSubmits: number;
  /** Rigs and accounts whose hash rates are remembered, ended sessions that may be resumed, bans: of each so many. */
  readonly remembered: number;
  /** From a stop to the end of every session. */
  readonly stopTimeoutMs: number;
}

const FARM: StratumLimits = {
  connections: 20_000,
  connectionsPerAddress: 5_000,
  connectsPerSecond: 500,
  connectsPerSecondPerAddress: 400,
  connectBurst: 500,
  connectsWaiting: 10_000,
  lineBytes: 8192,
  jobBufferBytes: 16 * 1024,
  fullBufferTimeoutMs: 30_000,
  writeBufferBytes: 256 * 1024,
  handshakeTimeoutMs: 10_000,
  authorizeTimeoutMs: 30_000,
  idleTimeoutMs: 600_000,
  messagesPerSecond: 200,
  messageBurst: 500,
  messagesPerSecondPerAddress: 20_000,
  invalidMessages: 20,
  invalidSubmits: 300,
  invalidWindowMs: 60_000,
  wrongLogins: 30,
  refusalDelayMs: 1_000,
  banMs: 600_000,
  bannedRigsPerAddress: 10,
  loginsPerSession: 16,
  loginCharacters: 256,
  sharesPerSecond: 2,
  pendingSubmits: 1000,
  remembered: 20_000,
  stopTimeoutMs: 9_000,
};

/** By whom the rigs belong to: what differs between a household, a farm of one's own, and strangers. */
export const LIMIT_PROFILES = {
  home: {
    ...FARM,
    connections: 1_000,
    connectionsPerAddress: 1_000,
    connectsPerSecond: 100,
    connectsPerSecondPerAddress: 80,
    connectBurst: 200,
    connectsWaiting: 1_000,
    messagesPerSecondPerAddress: 5_000,
    banMs: 60_000,
    remembered: 2_000,
  },
  farm: FARM,
  public: {
    ...FARM,
    connectionsPerAddress: 1_000,
    connectsPerSecondPerAddress: 100,
    messagesPerSecondPerAddress: 5_000,
    wrongLogins: 10,
  },
} as const satisfies Record<string, StratumLimits>;

/** Of the profile that holds where none is named. */
export const STRATUM_LIMITS = LIMIT_PROFILES.farm;
