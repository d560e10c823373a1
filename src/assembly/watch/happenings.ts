/** What the bridge's events say, as lines of the timeline. */

import type { Audience, BridgeEvents, Deed, NodeReport } from '../../bridge/events.js';
import type { SolutionState } from '../../bridge/ports.js';
import type { FactsOf } from '../../bridge/timeline/happenings.js';
import type { Teller } from '../../bridge/timeline/timeline.js';
import type { Recorded } from '../../cli/service/host.js';
import { blockHashOf } from '../../core/bytes/block-hash.js';
import { toHex } from '../../core/bytes/bytes.js';
import { loginText } from '../../core/names/names.js';
import type { Solution } from '../../core/shares/share.js';
import type { Ban } from '../../operations/bans.js';
import type { NodeState } from '../../operations/enums.js';

export function tellOfEvents(events: BridgeEvents, teller: Teller): void {
  tellOfNodes(events, teller);
  events.on('solutionFound', (solution) => tellOfFind(teller, blockOf(solution)));
  events.on('solutionSettled', (solution, state, detail) =>
    tellOfAnswer(teller, blockOf(solution), state, detail),
  );
  tellOfOrders(events, teller);
}

/** A change of state, and a change of the node that rigs work for; why a node is as it is changes far more often. */
function tellOfNodes(events: BridgeEvents, teller: Teller): void {
  const states = new Map<string, NodeState>();
  let active: string | undefined;
  events.on('node', ({ url, state, reason, isActive }: NodeReport) => {
    const before = states.get(url) ?? 'starting';
    states.set(url, state);
    if (state !== before) {
      const why = state === 'healthy' ? '' : `: ${reason}`;
      teller.tell('nodeState', `node ${url} is ${state}${why}`, { node: url, state, before, reason });
    }
    if (!isActive || url === active) return;
    if (active !== undefined)
      teller.tell('nodeSwitched', `rigs work for ${url} now, and for ${active} no more`, {
        from: active,
        to: url,
      });
    active = url;
  });
}

/** What a solution would be on its chain. */
export type FoundBlock = FactsOf<'blockFound'>;

export function tellOfFind(teller: Teller, block: FoundBlock): void {
  teller.tell('blockFound', `${loginText(block)} has found ${nameOf(block)}`, block);
}

export function tellOfAnswer(teller: Teller, block: FoundBlock, state: SolutionState, detail: string): void {
  const name = nameOf(block);
  if (state === 'received' || state === 'perhaps') {
    const says =
      state === 'received'
        ? `the node has taken ${name}`
        : `the node has perhaps taken ${name}: its answer was lost`;
    teller.tell('blockAccepted', says, { ...block, state });
  } else if (state === 'refused' || state === 'lost') {
    const says =
      state === 'refused'
        ? `the node refuses ${name}: ${detail}`
        : `${name} is lost: no node answered in time`;
    teller.tell('blockRejected', says, { ...block, state, detail });
  }
}

function nameOf({ chainId, height }: FoundBlock): string {
  return `the block of chain ${chainId} at height ${height}`;
}

function blockOf({ job, header, account, rig }: Solution): FoundBlock {
  const { chainId, fields } = job.work;
  const hash = toHex(blockHashOf(header));
  return { chainId, height: fields.height, hash, node: job.node, account, rig };
}

/** Of bans those of the bridge itself, too: they name nobody who gave the order. */
function tellOfOrders(events: BridgeEvents, teller: Teller): void {
  events.on('banned', (ban) => {
    const { reason, until, by } = ban;
    teller.tell(
      'banned',
      `${whoIs(ban)} is banned: ${reason}`,
      { ...placeOf(ban), reason, until },
      by ?? undefined,
    );
  });
  events.on('unbanned', (ban, by) => {
    const says = `the ban of ${whoIs(ban)} is ${by === undefined ? 'over' : 'taken back'}`;
    teller.tell('unbanned', says, placeOf(ban), by);
  });
  events.on('drain', ({ state, sessions, left, stops }, by) => {
    const says = `${DRAIN_WORDS[state]}${stops ? ', and the bridge stops then' : ''}`;
    const facts = { state, sessions, left, stops };
    const rest = state === 'off' ? `${left} sessions stay` : `${left} of ${sessions} sessions are left`;
    teller.tell('drain', `${says}: ${rest}`, facts, by || undefined);
  });
  events.on('steered', (deed) => tellOfDeed(teller, deed));
}

function whoIs({ kind, login }: Ban): string {
  return kind === 'address' ? 'an address' : `${kind} ${login}`;
}

function placeOf({ kind, login = '', address = '' }: Ban): FactsOf<'unbanned'> {
  return { of: kind, login, address };
}

const DRAIN_WORDS = {
  off: 'the drain is cancelled',
  draining: 'nobody is let in, and rigs are asked to leave',
  drained: 'the drain has come to its end',
  timeUp: 'the time of the drain is over',
};

function tellOfDeed(teller: Teller, deed: Deed): void {
  if (deed.kind === 'close') {
    const { session, peer, login, reason, by } = deed;
    const facts = {
      session: session.id,
      openedAt: session.openedAt,
      ...(login && { login: loginText(login) }),
      address: peer,
      reason,
    };
    teller.tell('sessionClosed', `session ${session.id} is closed: ${reason}`, facts, by);
  } else if (deed.kind === 'difficulty') {
    const { account, rig, difficulty, by } = deed;
    const how =
      difficulty === null ? 'is held at no difficulty any more' : `is held at difficulty ${difficulty}`;
    teller.tell(
      'difficultyOrdered',
      `rig ${loginText({ account, rig })} ${how}`,
      { account, rig, difficulty },
      by,
    );
  } else if (deed.kind === 'label') {
    const { account, rig, label, by } = deed;
    const how = label === null ? 'has no label any more' : `is labelled ${JSON.stringify(label)}`;
    teller.tell('rigLabelled', `rig ${loginText({ account, rig })} ${how}`, { account, rig, label }, by);
  } else if (deed.kind === 'addresses') {
    const { list, addresses, isOn, closed, by } = deed;
    const how = isOn ? `are on the list ${list} now` : `are not on the list ${list} any more`;
    const about = `addresses ${addresses} ${how}; sessions ended by it: ${closed}`;
    teller.tell('ordered', about, { order: list, about }, by);
  } else {
    const { audience, text, told, by } = deed;
    const [whom, facts] = audienceOf(audience);
    const says = told === 1 ? `1 rig${whom} was told: ${text}` : `${told} rigs${whom} were told: ${text}`;
    teller.tell('messageSent', says, { ...facts, text, told }, by);
  }
}

function audienceOf(
  audience: Audience,
): [whom: string, facts: Omit<FactsOf<'messageSent'>, 'text' | 'told'>] {
  const { to } = audience;
  switch (to) {
    case 'session':
      return [` of session ${audience.id}`, { to, session: audience.id, openedAt: audience.openedAt }];
    case 'login':
      return [` of ${loginText(audience)}`, { to, login: loginText(audience) }];
    case 'account':
      return [` of account ${audience.account}`, { to, login: audience.account }];
    case 'all':
      return ['', { to }];
  }
}

/** What the service host says of reloads and of the end. */
export function recordOf(teller: Teller): Recorded {
  return {
    reloaded: (report, by) => {
      const [tookEffect, wantsRestart] = [[...report.tookEffect], [...report.wantsRestart]];
      const [problem] = report.refused;
      if (problem === undefined) {
        const says = `settings were read again: ${changesInWords(tookEffect, wantsRestart)}`;
        return teller.tell('reloaded', says, { tookEffect, wantsRestart }, by);
      }
      const says = `settings were read again, and stay as they are: ${problem}`;
      teller.tell('reloadRefused', says, { problems: [...report.refused] }, by);
    },
    stopping: (reason) => teller.tell('stopped', `the bridge stops: ${reason}`, { reason }),
  };
}

function changesInWords(tookEffect: readonly string[], wantsRestart: readonly string[]): string {
  const parts = [
    ...(tookEffect.length > 0 ? [`${tookEffect.join(', ')} took effect`] : []),
    ...(wantsRestart.length > 0 ? [`${wantsRestart.join(', ')} wait for a restart`] : []),
  ];
  return parts.join('; ') || 'none has changed';
}
