/** Names as people read them. They come from rigs, and may be anything. */

/** What cannot be seen, or turns around what stands beside it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Each letter that cannot be seen by its number; blanks alone in quotation marks. */
export function shownName(name: string): string {
  const shown = name.replace(UNSEEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return shown.trim() === '' && shown !== '' ? `“${shown}”` : shown;
}

const LONGEST = 24;
const HEAD = 12;
const TAIL = 6;
/** Of accounts that are called by a key. */
const KEY = /^([a-z]:)([0-9a-f]{16,})$/;

/** `k:b5bb…9aad`; of others that are long head and tail. */
export function shortName(name: string): string {
  const [, prefix = '', hex = ''] = KEY.exec(name) ?? [];
  if (hex !== '') return `${prefix}${hex.slice(0, 4)}…${hex.slice(-4)}`;
  const letters = [...shownName(name)];
  if (letters.length <= LONGEST) return letters.join('');
  return `${letters.slice(0, HEAD).join('')}…${letters.slice(-TAIL).join('')}`;
}

interface Login {
  readonly account: string;
  /** May be empty. */
  readonly rig: string;
}

/** What follows the first dot is the rig. */
export function loginOf(text: string): Login {
  const dot = text.indexOf('.');
  return dot === -1 ? { account: text, rig: '' } : { account: text.slice(0, dot), rig: text.slice(dot + 1) };
}

/** `node1.example:1848`, out of the address of a node. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The user of a rig, as it is typed; of one without a name its account. */
export function loginText(account: string, rig: string): string {
  return rig === '' ? account : `${account}.${rig}`;
}
