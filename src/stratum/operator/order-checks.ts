/** What is wrong with an operator's order, as a sentence; an order that passes is written as the rigs' side writes it. */
import type { Audience, Bannable, BanOrder, Refused } from '../../bridge/orders/steering.js';
import { labelFault, type Name, nameFault, textFault } from '../../core/names/names.js';
import { addressKeyOf, prefixOf } from '../../core/names/peer.js';
import type { Difficulty } from '../../core/work/target.js';

const REASON_CHARACTERS = 200;
const MESSAGE_CHARACTERS = 500;
const BY_CHARACTERS = 100;
/** The end of the year 9999: later ones are written as no reader of `orders.json` or of the API takes them. */
const LAST_MS = Date.UTC(10_000, 0) - 1;
const MAX_DIFFICULTY = 2n ** 200n;
const LONGEST_DRAIN_MS = 86_400_000;

export const unfit = (why: string): Refused => ({ refused: 'unfit', why });

/** With its address as limits count it. */
export function checkedBan(order: BanOrder, by: string, nowMs: number): Bannable | Refused {
  const { reason, untilMs } = order;
  const fault = byFault(by) ?? textFault('the reason', reason, REASON_CHARACTERS) ?? endFault(untilMs, nowMs);
  return fault === undefined ? checkedWhom(order) : unfit(fault);
}

/** Without what else stands in the order. */
function checkedWhom(order: Bannable): Bannable | Refused {
  const fault = order.kind === 'address' ? undefined : bannedNameFault(order);
  if (fault !== undefined) return unfit(fault);
  if (order.kind === 'account') return { kind: 'account', account: order.account };
  if (order.kind === 'login') return { kind: 'login', account: order.account, rig: order.rig };
  const address = addressKeyOf(order.address);
  if (address === undefined)
    return unfit(`${shown(order.address)} is no address: an IPv4 or IPv6 address, or a /64, is banned`);
  if (order.kind === 'address') return { kind: 'address', address };
  return { kind: 'rig', account: order.account, rig: order.rig, address };
}

function bannedNameFault(whom: Exclude<Bannable, { kind: 'address' }>): string | undefined {
  return orderedNameFault(whom.kind === 'account' ? { account: whom.account, rig: '' } : whom);
}

export function orderedNameFault(name: Name): string | undefined {
  if (name.account === '') return 'the account is empty';
  if (name.account.includes('.'))
    return `the account ${shown(name.account)} holds a dot: what follows the first one in a login is the rig`;
  return nameFault(name);
}

function endFault(untilMs: number | undefined, nowMs: number): string | undefined {
  if (untilMs === undefined) return undefined;
  if (!(untilMs > nowMs)) return 'the end of a ban lies in the future';
  return untilMs <= LAST_MS ? undefined : 'the end of a ban lies before the year 10000';
}

export function byFault(by: string): string | undefined {
  return textFault('the name of who gives the order', by, BY_CHARACTERS);
}

export function reasonFault(reason: string, by: string): string | undefined {
  return byFault(by) ?? textFault('the reason', reason, REASON_CHARACTERS);
}

export function messageFault(audience: Audience, text: string, by: string): string | undefined {
  const fault = byFault(by) ?? textFault('the message', text, MESSAGE_CHARACTERS);
  if (fault !== undefined || audience.to === 'session' || audience.to === 'all') return fault;
  return orderedNameFault(audience.to === 'account' ? { account: audience.account, rig: '' } : audience);
}

export function difficultyFault(
  rig: Name,
  difficulty: Difficulty | undefined,
  by: string,
): string | undefined {
  const fault = byFault(by) ?? orderedNameFault(rig);
  if (fault !== undefined || difficulty === undefined) return fault;
  if (difficulty >= 1n && difficulty <= MAX_DIFFICULTY) return undefined;
  return `a share difficulty is a whole number from 1 to 2^200, not ${shown(String(difficulty))}`;
}

export function labelOrderFault(rig: Name, label: string | undefined, by: string): string | undefined {
  return byFault(by) ?? orderedNameFault(rig) ?? (label === undefined ? undefined : labelFault(label));
}

/** As it is listed: without bits where it is one address, and with the bits behind a prefix cleared. */
export function checkedAddresses(text: string, by: string): string | Refused {
  const fault = byFault(by);
  if (fault !== undefined) return unfit(fault);
  return prefixOf(text) ?? unfit(`${shown(text)} is no address or prefix such as 192.0.2.1 or 10.0.0.0/8`);
}

export function drainFault(overMs: number, by: string): string | undefined {
  if (overMs >= 0 && overMs <= LONGEST_DRAIN_MS) return byFault(by);
  return `a drain takes from 0 to ${LONGEST_DRAIN_MS / 3_600_000} hours`;
}

/** Of what came from outside, no more is said back. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
