/** A sentence of the bridge with what it names: rigs and accounts as `Who`, amounts with their coin, and long ones short. */
import type { ComponentChildren } from 'preact';
import { Amount } from '../../parts/amount.js';
import { Host } from '../../parts/host.js';
import { Who } from '../../parts/who.js';
import { hashOf } from '../../route.js';
import { kindWords } from '../../words/kinds.js';
import { shortName, shownName } from '../../words/names.js';

interface SaidProps {
  readonly words: string;
  /** Of an event; of an alert its condition as `alert`, and `about`. */
  readonly facts: Readonly<Record<string, unknown>>;
}

export function Said({ words, facts }: SaidProps) {
  const named = namedIn(facts);
  // Names and addresses stay as they are.
  const isName = /^https?:/.test(words) || named.some(([name]) => words.startsWith(name));
  const large = isName ? words : words.charAt(0).toUpperCase() + words.slice(1);
  return <bdi class="long">{withNames(large, named)}</bdi>;
}

type Named = readonly [name: string, shown: ComponentChildren];

/** Conditions of alerts that are about an account or a rig. */
const ABOUT_LOGINS: readonly unknown[] = ['rigOffline', 'accountHashRateLow', 'rigHashRateLow'];

/** What of the facts stands in the sentence. */
function namedIn({ account, rig, login, alert, about, name }: SaidProps['facts']): Named[] {
  const whole = typeof account === 'string' && rig ? `${account}.${rig}` : account;
  const logins = [whole, login, ABOUT_LOGINS.includes(alert) && about].filter(isText);
  return [
    ...logins.map((each): Named => [each, whoOf(each)]),
    ...[name].filter(isText).map((each): Named => [each, <a href={hashOf('payouts')}>{each}</a>]),
    ...[alert].filter(isText).map((each): Named => [each, `The alert “${kindWords(each)}”`]),
  ];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** It is parted at its first dot. */
function whoOf(login: string) {
  const [account = '', ...rig] = login.split('.');
  return rig.length > 0 ? <Who account={account} rig={rig.join('.')} /> : <Who account={account} />;
}

function withNames(words: string, [first, ...others]: readonly Named[]): ComponentChildren {
  if (!first) return plain(words);
  const [name, shown] = first;
  const at = placeOf(name, words);
  if (at === -1) return withNames(words, others);
  return [withNames(words.slice(0, at), others), shown, withNames(words.slice(at + name.length), others)];
}

/** As a word of its own; -1 where it is not. */
function placeOf(name: string, words: string): number {
  for (let at = words.indexOf(name); at !== -1; at = words.indexOf(name, at + 1)) {
    const [before, after] = [words.charAt(at - 1), words.charAt(at + name.length)];
    if (/^[\s“"]?$/.test(before) && /^[\s,.:;”"]?$/.test(after)) return at;
  }
  return -1;
}

/** Names of accounts and hashes, amounts to the last unit, addresses of nodes, and what is to be typed. */
const LONG = /((?:\b[a-z]:)?\b[0-9a-f]{64}\b|\b\d+\.\d{5,12}\b|https?:\/\/[^\s,]+|`[^`]+`)/;

function plain(words: string): ComponentChildren {
  return words.split(LONG).map((part, i) => {
    if (i % 2 === 0) return part.trim() === '' ? part : shownName(part);
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('http')) return <Host url={part} />;
    if (part.includes('.')) return <Amount of={part} />;
    return <span title={part}>{shortName(part.includes(':') ? part : `h:${part}`).replace(/^h:/, '')}</span>;
  });
}
