/**
 * Names of accounts and rigs, as peers choose them. Checked once, where they enter, so that every table, log and screen
 * behind that place can take them.
 */

export interface Name {
  readonly account: string;
  /** May be empty. */
  readonly rig: string;
}

/** Of UTF-8. */
export const NAME_BYTES = { account: 128, rig: 64 } as const;

/** Whom a submit counts for that nobody has authorized. */
export const NOBODY: Name = { account: '', rig: '' };

/** Control characters of both sets, and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
const EVERY_UNFIT = /[\p{Cc}\p{Cs}]/gu;
/** Besides: line and paragraph separators, and what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Why this is no name to mine under, as a sentence; `undefined` when it is one. */
export function nameFault(name: Name): string | undefined {
  for (const part of ['account', 'rig'] as const) {
    const bytes = Buffer.byteLength(name[part]);
    if (bytes > NAME_BYTES[part])
      return `the name of the ${part} has at most ${NAME_BYTES[part]} bytes in UTF-8, this one ${bytes}`;
    if (UNFIT.test(name[part]))
      return `the name of the ${part} holds a control character or half of a character: letters, digits and signs are fine`;
  }
  return undefined;
}

/** Why this is no text that is shown to people and kept, as a sentence; `undefined` when it is one. */
export function textFault(what: string, text: string, maxCharacters: number): string | undefined {
  if (text.trim() === '') return `${what} is empty`;
  if (text.length > maxCharacters)
    return `${what} has at most ${maxCharacters} characters, this one ${text.length}`;
  if (UNFIT.test(text)) return `${what} holds a control character or half of a character`;
  return undefined;
}

/** Of UTF-8. */
const LABEL_BYTES = 64;

/** Why this is no label of a rig, as a sentence; `undefined` when it is one. */
export function labelFault(label: string): string | undefined {
  const bytes = Buffer.byteLength(label);
  if (bytes > LABEL_BYTES) return `the label has at most ${LABEL_BYTES} bytes in UTF-8, this one ${bytes}`;
  return textFault('the label', label, LABEL_BYTES);
}

/** As it logs in. */
export function loginText({ account, rig }: Name): string {
  return rig === '' ? account : `${account}.${rig}`;
}

/** One of all rigs: unlike {@link loginText} it is no other's. */
export function rigKey({ account, rig }: Name): string {
  return `${account}.${rig}`;
}

/** A login where it comes from, as by which it is remembered. */
export function placeText(name: Name, addressKey: string): string {
  return `${loginText(name)} at ${addressKey}`;
}

/** Text of a peer or a node that the books will take, whatever it was. */
export function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(EVERY_UNFIT, '\ufffd');
}

/** For a terminal: what would move the cursor, colour or turn the text is written as its number. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
