/** Settings of the rigs' side. */

import type { Unit } from '../values/units.js';
import { KNOWN_AGENTS } from './known-agents.js';
import { choice, onOff, quantity, setting } from './setting.js';

export const STRATUM_SETTINGS = {
  'stratum.tcp': setting('tcp', (v, byDefault) => v.listenAddressOrOff(byDefault), {
    default: '0.0.0.0:1917',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Where rigs connect over TCP, or off. A port alone keeps the default host.',
  }),
  'stratum.ws': setting('ws', (v, byDefault) => v.listenAddressOrOff(byDefault), {
    default: '0.0.0.0:1918',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Where rigs connect over WebSocket, or off. A port alone keeps the default host.',
  }),
  'stratum.ports': setting('port', (v) => v.ports, {
    default: [],
    shape: 'PORT',
    repeatable: true,
    live: true,
    secret: 'passwords',
    help: 'Ports of rigs, in place of stratum.tcp and stratum.ws: a list of maps with name, listen, and perhaps transport (tcp, ws, both), tls and proxy (off, also, only), balancers, start, min, max or fixed (difficulties), accounts with list or passwords, allow and deny; what is absent is as elsewhere in stratum. As a flag name=high,listen=0.0.0.0:3334,start=1P, in a variable JSON. Name, address and transport want a restart.',
  }),
  'stratum.origins': setting('origin', (v) => v.listOf(v.text), {
    default: [],
    shape: 'ORIGIN',
    repeatable: true,
    help: 'Web pages that may open a WebSocket here, such as https://mine.example; * for all. Rigs name no origin and need none.',
  }),
  'stratum.shareDifficulty': setting('share-difficulty', (v) => v.shareDifficulty, {
    default: 'vardiff',
    basic: true,
    shape: 'RULE',
    live: true,
    help: 'vardiff (each rig its own), block (only solutions), or a number of expected hashes such as 4T or 4e12.',
  }),
  'stratum.vardiff.secondsPerShare': quantity('vardiff-seconds', 's', [0.1, 3600], {
    default: 10,
    live: true,
    help: 'Time between two shares of a rig that vardiff aims at.',
  }),
  'stratum.vardiff.startDifficulty': quantity('vardiff-start', 'hashes', [1, 2 ** 200], {
    default: 1_073_741_824,
    live: true,
    help: 'Expected hashes of a share for a rig of which nothing is known.',
  }),
  'stratum.vardiff.minDifficulty': quantity('vardiff-min', 'hashes', [1, 2 ** 200], {
    default: 65_536,
    live: true,
    help: 'Lowest share difficulty, also for rigs that ask for one of their own.',
  }),
  'stratum.vardiff.maxDifficulty': quantity('vardiff-max', 'hashes', [1, 2 ** 200], {
    default: 1_000_000_000_000_000_000,
    live: true,
    help: 'Highest share difficulty.',
  }),
  'stratum.vardiff.powersOfTwo': onOff('vardiff-powers-of-two', {
    default: false,
    live: true,
    help: 'Only powers of two, for rigs that take no others.',
  }),
  'stratum.agents': setting('agent-floor', (v) => v.agentRules, {
    default: KNOWN_AGENTS,
    shape: 'AGENT=HASHES',
    repeatable: true,
    live: true,
    help: 'What rigs take or do otherwise whose agent begins so: a list of maps with agent and some of floor (lowest vardiff difficulty, for ASICs that drown in easy shares; all that the flag sets), powersOfTwo, alwaysClean, authorizeAnswer (true or []), reversedNonce1, reversedNonce2, takesReconnect, takesMessages, and note. Of each the first that fits counts; those that are known stand behind what you write. As a variable also JSON.',
  }),
  'stratum.accounts.mode': choice('accounts', ['open', 'key', 'list', 'password'], {
    default: 'open',
    basic: true,
    shape: 'MODE',
    live: true,
    help: 'open: any name, it only labels the rig. key: k: and an Ed25519 public key, so that each can be paid. list: those of stratum.accounts.list. password: each needs its own.',
  }),
  'stratum.accounts.list': setting('allow-account', (v) => v.listOf(v.text), {
    default: [],
    basic: true,
    shape: 'PATTERN',
    repeatable: true,
    live: true,
    help: 'Accounts that may mine in mode list; * stands for any characters.',
  }),
  'stratum.accounts.passwords': setting('account-password', (v) => v.passwords, {
    default: {},
    shape: 'PATTERN=PASSWORD',
    repeatable: true,
    secret: 'whole',
    live: true,
    help: 'Password of each account (or pattern) in mode password; better in a file than on the command line. As a variable also JSON.',
  }),
  'stratum.tls.certificateFile': setting('tls-cert', (v) => v.text, {
    default: '',
    basic: true,
    shape: 'FILE',
    live: true,
    help: 'PEM certificate. With it ports take TLS beside plain connections; read again when it changes.',
  }),
  'stratum.tls.privateKeyFile': setting('tls-key', (v) => v.text, {
    default: '',
    basic: true,
    shape: 'FILE',
    live: true,
    help: 'PEM key of that certificate.',
  }),
  'stratum.tls.selfSigned': onOff('tls-self-signed', {
    default: false,
    live: true,
    help: 'Make a self-signed pair under the data directory and use it.',
  }),
  'stratum.allow': setting('allow', (v) => v.listOf(v.addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: 'Addresses or prefixes (10.0.0.0/8) that rigs may come from; none: all. Who is here and may not come any more is closed. `ctl allow` adds others.',
  }),
  'stratum.deny': setting('deny', (v) => v.listOf(v.addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: 'Addresses or prefixes that rigs may not come from, also where they are allowed. `ctl deny` adds others.',
  }),
  'stratum.drainSeconds': quantity('drain-seconds', 's', [1, 86_400], {
    default: 300,
    live: true,
    help: 'Time that rigs have to come over when new processes take the place of those they are connected to: those that can be asked are asked, spread over it; the others keep their connection until it is over.',
  }),
  'stratum.balancers': setting('balancer', (v) => v.listOf(v.addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: "Addresses or prefixes (10.0.0.0/8) of balancers, whose connections begin with a PROXY header (v1 or v2) that names the rig's address.",
  }),
};

/** key -> [default, lowest, highest, help]. */
const LIMITS = {
  connections: [
    20_000,
    1,
    1_000_000,
    'Open connections in all, or fewer where the limit of open files is lower; further ones are closed at once.',
  ],
  connectionsPerAddress: [5_000, 1, 1_000_000, 'Open connections of one address (IPv6: of one /64).'],
  connectsPerSecond: [
    500,
    1,
    1_000_000,
    'New connections a second in all; further ones wait for their turn, so that standing rigs are answered.',
  ],
  connectsPerSecondPerAddress: [400, 1, 1_000_000, 'The same of one address: it never has all of the turns.'],
  connectBurst: [500, 1, 1_000_000, 'New connections at once on top of that rate.'],
  connectsWaiting: [
    10_000,
    0,
    1_000_000,
    'Connections that may wait so, addresses in turn; past it the address with most of them loses one.',
  ],
  lineBytes: [
    8192,
    1024,
    1_048_576,
    'Bytes of one line or WebSocket frame; past it the connection is closed.',
  ],
  jobBufferBytes: [
    16_384,
    1024,
    16_777_216,
    'Unsent bytes from which on a connection gets no more jobs until it drains.',
  ],
  fullBufferTimeoutMs: [30_000, 100, 3_600_000, 'How long it may stay so full before it is closed.'],
  writeBufferBytes: [262_144, 16_384, 268_435_456, 'Unsent bytes that end a connection.'],
  handshakeTimeoutMs: [10_000, 100, 3_600_000, 'From connecting to the first whole message.'],
  authorizeTimeoutMs: [30_000, 100, 3_600_000, 'From connecting to the first good authorize.'],
  idleTimeoutMs: [
    600_000,
    1000,
    86_400_000,
    'Without any message from a rig that does not work: one that does is gone when TCP says so. Also the time for a message that was begun.',
  ],
  messagesPerSecond: [
    200,
    1,
    1_000_000,
    'Messages of one session; submits past it are refused with code 20.',
  ],
  messageBurst: [500, 1, 1_000_000, 'Messages that may come at once on top of that rate.'],
  messagesPerSecondPerAddress: [
    20_000,
    10,
    1_000_000_000,
    'What all rigs of an address send, pings and empty lines too, and 256 bytes as one; good shares are free, a connection counts as 8, its TLS as 25. Past it, who sends most is not read for a while, and who mines nothing is then closed and banned.',
  ],
  invalidMessages: [
    20,
    1,
    1_000_000,
    'Lines that are no message, in the window; one more closes the connection, and the fifth time bans, unless the address mines well.',
  ],
  invalidSubmits: [
    300,
    1,
    1_000_000,
    'Wrong submits more than good ones, in the window; one more closes the rig, and bans it unless it has done more good in the last hour.',
  ],
  invalidWindowMs: [60_000, 1000, 86_400_000, 'The window of what is wrong or invalid.'],
  wrongLogins: [
    30,
    1,
    1_000_000,
    'Wrong accounts and passwords of one address in the window, for each good rig there; one more bans the address. Of one session there may be 10.',
  ],
  refusalDelayMs: [1_000, 0, 60_000, 'How late a wrong account or password is answered.'],
  banMs: [600_000, 1000, 86_400_000, 'How long a ban lasts.'],
  bannedRigsPerAddress: [
    10,
    1,
    1_000_000,
    'Banned rigs of one address that ban the address, if they are more than its good ones.',
  ],
  loginsPerSession: [
    16,
    1,
    100_000,
    'Names that one session may authorize; further ones are refused with code 24.',
  ],
  loginCharacters: [256, 1, 4096, 'Characters of a login; longer ones are refused with code 24.'],
  sharesPerSecond: [
    2,
    1,
    1_000_000,
    'Shares a second of a rig that chose its difficulty itself (d=1e12); a faster one gets a higher difficulty.',
  ],
  pendingSubmits: [
    1000,
    1,
    1_000_000,
    'Submits of one session that wait for a verdict; further ones are refused with code 20.',
  ],
  remembered: [
    20_000,
    1,
    10_000_000,
    'Rigs, accounts, bans and ended sessions that are remembered, of each so many.',
  ],
  stopTimeoutMs: [9_000, 100, 60_000, 'From a stop to the end of every session.'],
} as const satisfies Record<string, readonly [number, number, number, string]>;

export type LimitName = keyof typeof LIMITS;
type LimitKey = `stratum.limits.${LimitName}`;

/** One setting a limit: `stratum.limits.banMs` is `--limit-ban-ms`. */
export const LIMIT_SETTINGS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, [byDefault, min, max, help]]) => [
    `stratum.limits.${name}`,
    quantity(
      `limit-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      unitOf(name),
      [min, max],
      { default: byDefault, help, live: true },
    ),
  ]),
) as Record<LimitKey, ReturnType<typeof quantity>>;

function unitOf(name: string): Unit {
  if (name.endsWith('Ms')) return 'ms';
  return name.endsWith('Bytes') ? 'bytes' : 'count';
}
