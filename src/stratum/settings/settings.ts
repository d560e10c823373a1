/** Settings of the rigs' side. */
import { z } from 'zod';
import { VARDIFF_SETTINGS } from '../../core/shares/vardiff.js';
import { tlsSettings } from '../../tls/settings.js';
import { addressOrPrefix, listenAddressOrOff } from '../../values/addresses.js';
import { listOf, passwords } from '../../values/lists-and-maps.js';
import { numberOf, parseDifficulty } from '../../values/numbers.js';
import { choice, quantity, setting } from '../../values/setting.js';
import { type Bound, noQuantity, type Unit } from '../../values/units.js';
import { autoOr, text } from '../../values/words.js';
import { LIMIT_PROFILES } from '../admission/limits.js';
import { agentRules } from './agents.js';
import { KNOWN_AGENTS } from './known-agents.js';
import { portList } from './port-list.js';

const shareDifficulty = z
  .union(
    [z.number(), z.string()],
    'is none of vardiff, block, or a number of expected hashes such as 4T or 4e12',
  )
  .transform((given, context) => {
    if (given === 'vardiff' || given === 'block') return given;
    const difficulty = parseDifficulty(String(given));
    if (difficulty !== undefined) return difficulty;
    context.addIssue('is none of vardiff, block, or a number of expected hashes such as 4T or 4e12');
    return z.NEVER;
  });

const AUTO = 'auto: as the profile has it.';

/** One of the profile's limits. */
const limit = (unit: Unit, [min, max]: readonly [Bound, Bound], help: string) => ({
  unit,
  ...setting(autoOr(numberOf(unit, min, max), `${noQuantity(unit, min, max)}, nor auto`), {
    default: 'auto',
    shape: unit === 'time' ? 'TIME' : 'N',
    live: true,
    help: `${help} ${AUTO}`,
  }),
});

export const STRATUM_SETTINGS = {
  'stratum.tcp': setting(listenAddressOrOff, {
    default: '0.0.0.0:1917',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Where rigs connect over TCP, or off. A bare port uses the default host.',
  }),
  'stratum.ws': setting(listenAddressOrOff, {
    default: '0.0.0.0:1918',
    basic: true,
    shape: 'HOST:PORT',
    help: 'Where rigs connect over WebSocket, or off. A bare port uses the default host.',
  }),
  'stratum.ports': setting(portList, {
    default: [],
    shape: 'PORT',
    repeatable: true,
    live: true,
    secret: 'passwords',
    help: 'Ports of rigs, in place of stratum.tcp and stratum.ws: a list of maps with name, listen, and perhaps transport (tcp, ws, both), tls and proxy (off, also, only), balancers, start, min, max or fixed (difficulties), accounts with list or passwords, allow and deny; what is absent is as elsewhere in stratum. As a flag name=high,listen=0.0.0.0:3334,start=1P, in a variable JSON. Name, address and transport want a restart.',
  }),
  'stratum.origins': setting(listOf(text), {
    default: [],
    shape: 'ORIGIN',
    repeatable: true,
    help: 'Web pages that may open a WebSocket here, such as https://mine.example; * for all. Rigs name no origin and need none.',
  }),
  'stratum.release': quantity('time', ['30s', '1d'], {
    default: '120s',
    help: 'Rigs are let go, so that they mine at their second pool, when no node has given live work for so long, or, on a public network of ten chains and more, when the newest block is older. They are let in again after 15 s of live work.',
  }),
  'stratum.shareDifficulty': setting(shareDifficulty, {
    default: 'vardiff',
    basic: true,
    shape: 'RULE',
    live: true,
    help: 'vardiff (each rig its own), block (only solutions), or a number of expected hashes such as 4T or 4e12.',
  }),
  'stratum.vardiff.interval': quantity('time', ['100ms', '1h'], {
    default: `${VARDIFF_SETTINGS.secondsPerShare}s`,
    live: true,
    help: 'Time between two shares of a rig that vardiff aims at.',
  }),
  'stratum.vardiff.start': quantity('hashes', [1, 2 ** 200], {
    default: VARDIFF_SETTINGS.startDifficulty,
    live: true,
    help: 'Expected hashes of a share for a rig of which nothing is known.',
  }),
  'stratum.vardiff.min': quantity('hashes', [1, 2 ** 200], {
    default: VARDIFF_SETTINGS.minDifficulty,
    live: true,
    help: 'Lowest share difficulty, also for rigs that ask for one of their own.',
  }),
  'stratum.vardiff.max': quantity('hashes', [1, 2 ** 200], {
    default: VARDIFF_SETTINGS.maxDifficulty,
    live: true,
    help: 'Highest share difficulty.',
  }),
  'stratum.agents': setting(agentRules, {
    default: KNOWN_AGENTS,
    shape: 'AGENT=HASHES',
    repeatable: true,
    live: true,
    help: 'What rigs take or do otherwise whose agent begins so: a list of maps with agent and some of floor (lowest vardiff difficulty, for ASICs that drown in easy shares; all that the flag sets), powersOfTwo, alwaysClean, authorizeAnswer (true or []), reversedNonce1, reversedNonce2, takesReconnect, takesMessages, and note. Of each the first that fits counts; those that are known stand behind what you write. As a variable also JSON.',
  }),
  'stratum.accounts.mode': choice(['open', 'key', 'list', 'password'], {
    default: 'open',
    basic: true,
    shape: 'MODE',
    live: true,
    help: 'open: any name, it only labels the rig. key: k: and an Ed25519 public key, so that each can be paid. list: those of stratum.accounts.list. password: each needs its own.',
  }),
  'stratum.accounts.list': setting(listOf(text), {
    default: [],
    basic: true,
    shape: 'PATTERN',
    repeatable: true,
    live: true,
    help: 'Accounts that may mine in mode list; * stands for any characters.',
  }),
  'stratum.accounts.passwords': setting(passwords, {
    default: {},
    shape: 'PATTERN=PASSWORD',
    repeatable: true,
    secret: 'whole',
    live: true,
    help: 'Password of each account (or pattern) in mode password; better in a file than on the command line. As a variable also JSON.',
  }),
  ...tlsSettings('stratum', 'With it ports take TLS beside plain connections', true),
  'stratum.allow': setting(listOf(addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: 'Addresses or prefixes (10.0.0.0/8) that rigs may come from; none: all. Who is here and may not come any more is closed. `ctl allow` adds others.',
  }),
  'stratum.deny': setting(listOf(addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: 'Addresses or prefixes that rigs may not come from, also where they are allowed. `ctl deny` adds others.',
  }),
  'stratum.balancers': setting(listOf(addressOrPrefix), {
    default: [],
    shape: 'ADDRESS',
    repeatable: true,
    live: true,
    help: "Addresses or prefixes (10.0.0.0/8) of balancers, whose connections begin with a PROXY header (v1 or v2) that names the rig's address.",
  }),
  'stratum.limits.profile': choice(Object.keys(LIMIT_PROFILES) as (keyof typeof LIMIT_PROFILES)[], {
    default: 'farm',
    basic: true,
    shape: 'PROFILE',
    live: true,
    help: 'What rigs may take before they wait, are refused or banned. home: one household. farm: thousands of own rigs behind few addresses. public: anybody.',
  }),
  'stratum.limits.connections': limit(
    'count',
    [1, 1_000_000],
    'Open connections in all, or fewer where the limit of open files is lower; further ones are closed at once.',
  ),
  'stratum.limits.connectionsPerAddress': limit(
    'count',
    [1, 1_000_000],
    'Open connections of one address (IPv6: of one /64).',
  ),
  'stratum.limits.connectsPerSecond': limit(
    'count',
    [1, 1_000_000],
    'New connections a second in all; further ones wait for their turn, so that standing rigs are answered.',
  ),
  'stratum.limits.messagesPerSecondPerAddress': limit(
    'count',
    [10, 1_000_000_000],
    'What all rigs of an address send, pings and empty lines too, and 256 bytes as one; good shares are free, a connection counts as 8, its TLS as 25. Past it, who sends most is not read for a while, and who mines nothing is then closed and banned.',
  ),
  'stratum.limits.idleTimeout': limit(
    'time',
    ['1s', '1d'],
    'Without any message from a rig that does not work: one that does is gone when TCP says so.',
  ),
  'stratum.limits.invalidSubmits': limit(
    'count',
    [1, 1_000_000],
    'Wrong submits more than good ones, in a minute; one more closes the rig, and bans it unless it has done more good in the last hour.',
  ),
  'stratum.limits.wrongLogins': limit(
    'count',
    [1, 1_000_000],
    'Wrong passwords of one address in a minute (mode password), for each good rig there; one more bans the address.',
  ),
  'stratum.limits.ban': limit('time', ['1s', '1d'], 'How long a ban lasts.'),
};
