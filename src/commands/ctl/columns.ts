/** The tables of `ctl`: their rows, and which columns matter most where a window is narrow. */
import type { z } from 'zod';
import type { Columns } from '../../cli/screen/columns.js';
import { formatCounts } from '../../cli/screen/units.js';
import { loginText } from '../../core/names/names.js';
import type { LISTED_ACCOUNT } from '../../web/api/schemas/book-schemas.js';
import type { LISTED_ADDRESSES, ORDERED_DIFFICULTY, RIG_LABEL } from '../../web/api/schemas/order-schemas.js';
import type { BAN, NODE, RIG, SESSION } from '../../web/api/schemas/schemas.js';
import { sessionText } from './names.js';

type Rates = z.output<typeof RIG>['hashRates'];

/** Over five minutes, and over a day. */
const ratesOf = (rates: Rates) => ({
  rate: rates[1]?.hashesPerSecond,
  dayRate: rates[4]?.hashesPerSecond,
});

export function rigRow(rig: z.output<typeof RIG>) {
  return {
    login: loginText(rig),
    label: rig.label,
    state: rig.state,
    ...ratesOf(rig.hashRates),
    difficulty: rig.difficulty,
    held: rig.orderedDifficulty,
    accepted: rig.accepted,
    rejected: formatCounts(rig.rejected),
    bestShare: rig.bestShare,
    lastShareAt: rig.lastShareAt,
    sessions: rig.sessions,
    connectedSince: rig.connectedSince,
    agent: rig.agent,
  };
}

export const RIGS: Columns<ReturnType<typeof rigRow>> = {
  login: { kind: 'name', importance: 1 },
  label: { kind: 'name', importance: 4 },
  state: { kind: 'text', importance: 1 },
  rate: { kind: 'rate', importance: 2, heading: '5 minutes' },
  dayRate: { kind: 'rate', importance: 5, heading: 'a day' },
  difficulty: { kind: 'hashes', importance: 6 },
  held: { kind: 'hashes', importance: 7, heading: 'held at' },
  accepted: { kind: 'count', importance: 3 },
  rejected: { kind: 'text', importance: 4 },
  bestShare: { kind: 'hashes', importance: 6, heading: 'best share' },
  lastShareAt: { kind: 'time', importance: 3, heading: 'last share (UTC)' },
  sessions: { kind: 'count', importance: 8 },
  connectedSince: { kind: 'time', importance: 8, heading: 'connected (UTC)' },
  agent: { kind: 'name', importance: 9 },
};

export function sessionRow(session: z.output<typeof SESSION>) {
  return {
    session: sessionText(session),
    logins: session.logins.map(loginText),
    rate: ratesOf(session.hashRates).rate,
    difficulty: session.difficulty,
    peer: session.peer,
    transport: session.transport,
    port: session.port,
    chainId: session.chainId,
    bestShare: session.bestShare,
    agent: session.agent,
  };
}

export const SESSIONS: Columns<ReturnType<typeof sessionRow>> = {
  // Taken over as it is, so never cut.
  session: { kind: 'count', importance: 1 },
  logins: { kind: 'name', importance: 1 },
  rate: { kind: 'rate', importance: 2, heading: '5 minutes' },
  difficulty: { kind: 'hashes', importance: 5 },
  peer: { kind: 'name', importance: 3 },
  transport: { kind: 'text', importance: 4 },
  port: { kind: 'text', importance: 5 },
  chainId: { kind: 'count', importance: 6, heading: 'chain' },
  bestShare: { kind: 'hashes', importance: 6, heading: 'best share' },
  agent: { kind: 'name', importance: 7 },
};

export function accountRow({
  account,
  sessions,
  hashRates,
  lastShareAt,
  money,
}: z.output<typeof LISTED_ACCOUNT>) {
  const { balance, held, paying, paid } = money ?? {};
  return { account, sessions, ...ratesOf(hashRates), lastShareAt, balance, held, paying, paid };
}

export const ACCOUNTS: Columns<ReturnType<typeof accountRow>> = {
  account: { kind: 'name', importance: 1 },
  sessions: { kind: 'count', importance: 4 },
  rate: { kind: 'rate', importance: 1, heading: '5 minutes' },
  dayRate: { kind: 'rate', importance: 3, heading: 'a day' },
  lastShareAt: { kind: 'time', importance: 4, heading: 'last share (UTC)' },
  balance: { kind: 'amount', importance: 2 },
  held: { kind: 'amount', importance: 5 },
  paying: { kind: 'amount', importance: 6 },
  paid: { kind: 'amount', importance: 6 },
};

export function banRow({ id, kind, login, address, reason, since, until, by }: z.output<typeof BAN>) {
  return { id, kind, login, address, reason, until, since, by };
}

export const BANS: Columns<ReturnType<typeof banRow>> = {
  // Taken over as it is, so never cut.
  id: { kind: 'count', importance: 1 },
  kind: { kind: 'text', importance: 2 },
  login: { kind: 'name', importance: 1 },
  address: { kind: 'name', importance: 1 },
  reason: { kind: 'text', importance: 3 },
  until: { kind: 'time', importance: 4, heading: 'until (UTC)' },
  since: { kind: 'time', importance: 6, heading: 'since (UTC)' },
  by: { kind: 'name', importance: 5 },
};

export function nodeRow({ forks, ...node }: z.output<typeof NODE>) {
  const { url, state, network, isActive, chains, cutHeight, requests, reason } = node;
  return {
    ...{ url, state, isActive: isActive ? 'yes' : 'no', network, chains, cutHeight, requests, reason },
    fork: forks?.number,
    votes: forks && [...new Set([forks.leastVotes, forks.mostVotes])].join(' to '),
    vote: forks && voteWords(forks),
  };
}

function voteWords({ isFor, isNear, agrees, isPassed }: NonNullable<z.output<typeof NODE>['forks']>): string {
  const vote = isFor === null ? 'not known' : isFor ? 'for the next' : 'not for the next';
  return [
    ...[vote, isNear && 'the next is near', agrees === false && 'another node says otherwise'],
    isPassed && 'another node is on a higher one',
  ]
    .filter(Boolean)
    .join('; ');
}

export const NODES: Columns<ReturnType<typeof nodeRow>> = {
  url: { kind: 'name', importance: 1, heading: 'node' },
  state: { kind: 'text', importance: 1 },
  isActive: { kind: 'text', importance: 2, heading: 'in use' },
  network: { kind: 'name', importance: 4 },
  chains: { kind: 'count', importance: 3 },
  cutHeight: { kind: 'count', importance: 4, heading: 'height' },
  fork: { kind: 'count', importance: 2 },
  votes: { kind: 'text', importance: 3 },
  vote: { kind: 'text', importance: 2 },
  requests: { kind: 'count', importance: 6 },
  reason: { kind: 'text', importance: 5 },
};

export function heldRow({ account, rig, difficulty, since, by }: z.output<typeof ORDERED_DIFFICULTY>) {
  return { login: loginText({ account, rig }), difficulty, since, by };
}

export const HELD_RIGS: Columns<ReturnType<typeof heldRow>> = {
  login: { kind: 'name', importance: 1 },
  difficulty: { kind: 'hashes', importance: 1 },
  since: { kind: 'time', importance: 2, heading: 'since (UTC)' },
  by: { kind: 'name', importance: 3 },
};

export function addressesRow({ list, addresses, since, by }: z.output<typeof LISTED_ADDRESSES>) {
  return { list, addresses, since, by };
}

export const ADDRESSES: Columns<ReturnType<typeof addressesRow>> = {
  list: { kind: 'text', importance: 1 },
  addresses: { kind: 'name', importance: 1 },
  since: { kind: 'time', importance: 2, heading: 'since (UTC)' },
  by: { kind: 'name', importance: 3 },
};

export function labelRow({ account, rig, label, since, by }: z.output<typeof RIG_LABEL>) {
  return { login: loginText({ account, rig }), label, since, by };
}

export const LABELS: Columns<ReturnType<typeof labelRow>> = {
  login: { kind: 'name', importance: 1 },
  label: { kind: 'name', importance: 1 },
  since: { kind: 'time', importance: 2, heading: 'since (UTC)' },
  by: { kind: 'name', importance: 3 },
};
