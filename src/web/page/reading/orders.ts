/** Orders to rigs and of who may come, as the API takes them. Each resolves with what came of it, in a sentence. */
import { count, counted } from '../words/numbers.js';
import type { AddressesOrdered, ListName, Rig, Session } from './answers.js';
import type { Ask } from './ask.js';

type Login = Pick<Rig, 'account' | 'rig'>;

export async function closeSession(
  ask: Ask,
  { bridge, id, openedAt }: Session,
  reason: string,
): Promise<string> {
  await ask.order('POST', `/api/v1/sessions/${id}/close`, { openedAt, bridge, ...given({ reason }) });
  return `Session ${id} is closed`;
}

/** @param time such as `5m`; empty for a ban that holds until it is taken back. */
export async function banRig(
  ask: Ask,
  { account, rig }: Login,
  reason: string,
  time: string,
): Promise<string> {
  const order = { kind: 'login', account, rig, reason, ...given({ for: time }) };
  const { closed } = (await ask.order('POST', '/api/v1/bans', order)) as { closed: number };
  return `The rig is banned, and ${counted(closed, 'session')} of it closed`;
}

/** @param difficulty such as `4T`. */
export async function holdDifficulty(ask: Ask, { account, rig }: Login, difficulty: string): Promise<string> {
  const { sessions } = (await ask.order('PUT', '/api/v1/difficulties', { account, rig, difficulty })) as {
    sessions: number;
  };
  return `${counted(sessions, 'session')} will work at it from the next job on`;
}

export async function clearDifficulty(ask: Ask, { account, rig }: Login): Promise<string> {
  await ask.order('PUT', '/api/v1/difficulties', { account, rig, difficulty: null });
  return 'The rig is held at no difficulty any more';
}

/** @param label empty to take it away. */
export async function labelRig(ask: Ask, { account, rig }: Login, label: string): Promise<string> {
  await ask.order('PUT', '/api/v1/labels', { account, rig, label: label === '' ? null : label });
  return label === '' ? 'The rig has no label any more' : `The rig is labelled ${label}`;
}

export async function sendMessage(ask: Ask, { account, rig }: Login, text: string): Promise<string> {
  const { told, sessions } = (await ask.order('POST', '/api/v1/messages', {
    to: 'login',
    account,
    rig,
    text,
  })) as { told: number; sessions: number };
  return `Shown by ${count(told)} of ${counted(sessions, 'session')}: not every rig takes messages`;
}

/** @param what `deny`, `deny no more` and so on; `text` is an address or a prefix. */
export async function listAddresses(ask: Ask, what: string, text: string): Promise<string> {
  const [list, isOff] = what.split(' ');
  const order = { list, addresses: text, isOn: isOff === undefined };
  const done = (await ask.order('PUT', '/api/v1/addresses', order)) as AddressesOrdered;
  const state = `${listWords(done.list)}${done.isOn ? '' : ' by order no more'}`;
  return `${done.addresses} is ${state}; closed: ${counted(done.closed, 'session')}`;
}

export function listWords(list: ListName): string {
  return list === 'allow' ? 'allowed' : 'denied';
}

function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
