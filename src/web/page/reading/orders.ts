/** Orders to rigs and of who may come, as the API takes them. Each resolves with what came of it, in a sentence. */
import { count, counted } from '../words/numbers.js';
import type { AddressesOrdered, ListName, Rig, Session } from './answers.js';
import { type Ask, AskError } from './ask.js';

type Login = Pick<Rig, 'account' | 'rig'>;

export async function closeSession(ask: Ask, { id, openedAt }: Session, reason: string): Promise<string> {
  await ask.order('POST', `/api/v1/sessions/${id}/close`, { openedAt, ...given({ reason }) });
  return `Session ${id} is closed`;
}

/** @param minutes empty for a ban that holds until it is taken back. */
export async function banRig(
  ask: Ask,
  { account, rig }: Login,
  reason: string,
  minutes: string,
): Promise<string> {
  const forMs = minutes === '' ? {} : { forMs: 60_000 * wholeNumber(minutes) };
  const { closed } = (await ask.order('POST', '/api/v1/bans', {
    kind: 'login',
    account,
    rig,
    reason,
    ...forMs,
  })) as { closed: number };
  return `The rig is banned, and ${counted(closed, 'session')} of it closed`;
}

export async function holdDifficulty(ask: Ask, login: Login, text: string): Promise<string> {
  const { sessions } = (await ask.order('PUT', pathOf(login, 'difficulty'), {
    difficulty: hashesIn(text),
  })) as { sessions: number };
  return `${counted(sessions, 'session')} will work at it from the next job on`;
}

export async function clearDifficulty(ask: Ask, login: Login): Promise<string> {
  await ask.order('DELETE', pathOf(login, 'difficulty'));
  return 'The rig is held at no difficulty any more';
}

/** @param label empty to take it away. */
export async function labelRig(ask: Ask, login: Login, label: string): Promise<string> {
  if (label === '') await ask.order('DELETE', pathOf(login, 'label'));
  else await ask.order('PUT', pathOf(login, 'label'), { label });
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
  const [name, isOff] = what.split(' ');
  const path = `/api/v1/addresses/${name}/${encodeURIComponent(text)}`;
  const done = (await ask.order(isOff ? 'DELETE' : 'PUT', path)) as AddressesOrdered;
  const state = `${listWords(done.list)}${isOff ? ' by order no more' : ''}`;
  return `${done.addresses} is ${state}; closed: ${counted(done.closed, 'session')}`;
}

export function listWords(list: ListName): string {
  return list === 'allow' ? 'allowed' : 'denied';
}

function pathOf({ account, rig }: Login, order: 'difficulty' | 'label'): string {
  const names = rig === '' ? [account] : [account, rig];
  return `/api/v1/rigs/${names.map(encodeURIComponent).join('/')}/${order}`;
}

function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,7}$/.test(text))
    throw new AskError(`a time is a whole number of minutes, not “${text}”`, false);
  return Number(text);
}

const POWERS = ['', 'k', 'm', 'g', 't', 'p', 'e'];

/** `4T`, `1.5e12` or `4000000000000` as the decimal that the API takes. */
export function hashesIn(text: string): string {
  const [, digits = '', power = '', letter = ''] =
    /^(\d{1,18}(?:\.\d{1,6})?)(?:[eE](\d{1,2}))?\s*([kKmMgGtTpPE])?$/.exec(text) ?? [];
  const places = Number(power) + 3 * POWERS.indexOf(letter.toLowerCase());
  const [whole = '', part = ''] = digits.split('.');
  if (digits === '' || part.length > places)
    throw new AskError(`a difficulty is a number of hashes such as 4T or 4e12, not “${text}”`, false);
  return String(BigInt(whole + part.padEnd(places, '0')));
}
