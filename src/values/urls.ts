/** URLs, of which any part of the login may hold any character. */
import { z } from 'zod';
import { text } from './words.js';

export function urlOf(...protocols: string[]) {
  const shape = `is no URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return text.refine((value) => hasProtocol(value, protocols), shape).transform(withReadableLogin);
}

/** The same, or nothing at all. */
export function urlOrNothing(...protocols: string[]) {
  const url = urlOf(...protocols);
  return text.transform((value, context) => {
    if (value === '') return value;
    const { data, error } = url.safeParse(value);
    if (data !== undefined) return data;
    context.addIssue(error?.issues[0]?.message ?? 'is no URL');
    return z.NEVER;
  });
}

/** URLs: of a file, of repeated flags, or of text parted by commas; commas of a password part nothing. */
export function urlsOf(item: z.ZodType<string>, whenEmpty: string) {
  const split = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.flatMap(split);
    return typeof given === 'string' ? given.match(URL_IN_LIST) : given;
  };
  return z.preprocess((given) => split(given) ?? [], z.array(item, 'is no list of URLs').min(1, whenEmpty));
}

/** A scheme with or without a login, and all up to the next comma. */
const URL_IN_LIST = /(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?)?[^,]+/gi;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Base URL of a node; a bare `host:port` is one of plain HTTP. */
export const nodeUrl = text
  .transform((value) => (SCHEME.test(value) || value === '' ? value : `http://${value}`))
  .refine(
    (value) => hasProtocol(value, ['http:', 'https:']),
    'is no URL of a node: host:port, or one that begins with http:// or https://',
  )
  .refine(
    (value) => !/[?#]/.test(value),
    'has a part behind ? or #, which nodes are never sent: give credentials as http://user:password@host, with %3F and %23 for ? and #',
  )
  .transform(withReadableLogin);

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** A percent sign that begins no code stands for itself: who reads the login decodes it. */
function withReadableLogin(value: string): string {
  const login = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(value)?.[1];
  if (login === undefined || isDecodable(login)) return value;
  return value.replace(login, () => login.replaceAll('%', '%25'));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // this is the question
  }
}
