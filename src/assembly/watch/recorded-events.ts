/** What the bridge's events say, as lines of the timeline. */

import type { Audience, BridgeEvents, NodeReport, OperatorAction } from '../../bridge/events.js';
import type { SolutionState } from '../../bridge/ports.js';
import type { FactsOf } from '../../bridge/timeline/events.js';
import type { EventRecorder } from '../../bridge/timeline/timeline.js';
import type { Recorded } from '../../cli/service/host.js';
import { blockHashOf } from '../../core/bytes/block-hash.js';
import { toHex } from '../../core/bytes/bytes.js';
import { loginText } from '../../core/names/names.js';
import type { Solution } from '../../core/shares/share.js';
import type { Ban } from '../../operations/bans.js';
import type { NodeState } from '../../operations/enums.js';

export function recordEvents(events: BridgeEvents, teller: EventRecorder): void {
  tellOfNodes(events, teller);
  events.on('solutionFound', (solution) => teller.record('blockFound', blockOf(solution)));
  events.on('solutionSettled', (solution, state, detail) =>
    tellOfAnswer(teller, blockOf(solution), state, detail),
  );
  tellOfOrders(events, teller);
}

/** A change of state, and a change of the node that rigs work for; why a node is as it is changes far more often. */
function tellOfNodes(events: BridgeEvents, teller: EventRecorder): void {
  const states = new Map<string, NodeState>();
  let active: string | undefined;
  events.on('node', ({ url, state, reason, isActive }: NodeReport) => {
    const before = states.get(url) ?? 'starting';
    states.set(url, state);
    if (state !== before) teller.record('nodeState', { node: url, state, before, reason });
    if (!isActive || url === active) return;
    if (active !== undefined) teller.record('nodeSwitched', { from: active, to: url });
    active = url;
  });
}

/** What a solution would be on its chain. */
export type FoundBlock = FactsOf<'blockFound'>;

export function tellOfAnswer(
  teller: EventRecorder,
  block: FoundBlock,
  state: SolutionState,
  detail: string,
): void {
  if (state === 'received' || state === 'perhaps') teller.record('blockAccepted', { ...block, state });
  else if (state === 'refused' || state === 'lost')
    teller.record('blockRejected', { ...block, state, detail });
}

function blockOf({ job, header, account, rig }: Solution): FoundBlock {
  const { chainId, fields } = job.work;
  const hash = toHex(blockHashOf(header));
  return { chainId, height: fields.height, hash, node: job.node, account, rig };
}

/** Of bans those of the bridge itself, too: they name nobody who gave the order. */
function tellOfOrders(events: BridgeEvents, teller: EventRecorder): void {
  events.on('banned', (ban) => {
    const { reason, until, by } = ban;
    teller.record('banned', { ...placeOf(ban), reason, until }, by ?? undefined);
  });
  events.on('unbanned', (ban, by) => teller.record('unbanned', placeOf(ban), by));
  events.on('drain', ({ state, sessions, left, stops }, by) =>
    teller.record('drain', { state, sessions, left, stops }, by || undefined),
  );
  events.on('steered', (deed) => tellOfDeed(teller, deed));
}

function placeOf({ kind, login = '', address = '' }: Ban): FactsOf<'unbanned'> {
  return { of: kind, login, address };
}

function tellOfDeed(teller: EventRecorder, deed: OperatorAction): void {
  const { by } = deed;
  if (deed.kind === 'close') {
    const { session, peer: address, login, reason } = deed;
    const who = login ? { login: loginText(login) } : {};
    const facts = { session: session.id, openedAt: session.openedAt, ...who, address, reason };
    teller.record('sessionClosed', facts, by);
  } else if (deed.kind === 'difficulty') {
    const { account, rig, difficulty } = deed;
    teller.record('difficultyOrdered', { account, rig, difficulty }, by);
  } else if (deed.kind === 'label') {
    const { account, rig, label } = deed;
    teller.record('rigLabelled', { account, rig, label }, by);
  } else if (deed.kind === 'addresses') {
    const { list, addresses, isOn, closed } = deed;
    const how = isOn ? `are on the list ${list} now` : `are not on the list ${list} any more`;
    const about = `addresses ${addresses} ${how}; sessions ended by it: ${closed}`;
    teller.record('ordered', { order: list, about }, by, about);
  } else {
    const { audience, text, told } = deed;
    teller.record('messageSent', { ...audienceFacts(audience), text, told }, by);
  }
}

function audienceFacts(audience: Audience): Omit<FactsOf<'messageSent'>, 'text' | 'told'> {
  const { to } = audience;
  switch (to) {
    case 'session':
      return { to, session: audience.id, openedAt: audience.openedAt };
    case 'login':
      return { to, login: loginText(audience) };
    case 'account':
      return { to, login: audience.account };
    case 'all':
      return { to };
  }
}

/** What the service host says of reloads and of the end. */
export function recordOf(teller: EventRecorder): Recorded {
  return {
    reloaded: ({ tookEffect, wantsRestart, refused }, by) => {
      if (refused.length > 0) return teller.record('reloadRefused', { problems: [...refused] }, by);
      return teller.record('reloaded', { tookEffect: [...tookEffect], wantsRestart: [...wantsRestart] }, by);
    },
    stopping: (reason) => teller.record('stopped', { reason }),
  };
}
