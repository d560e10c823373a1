/** Orders that hold until they are taken back, as bridges on one ledger tell each other of them. */
import { z } from 'zod';
import { BAN, type Ban } from '../bans.js';
import { TIME } from '../entry/fields.js';
import { LISTED_ADDRESSES, ORDERED_DIFFICULTY, RIG_LABEL } from './by-order.js';

/** The newest word about each thing. `says` is as the API shows it; null: it was taken back. */
export const STANDING_ORDER = z.discriminatedUnion('kind', [
  wordOf('ban', BAN),
  wordOf('difficulty', ORDERED_DIFFICULTY),
  wordOf('label', RIG_LABEL),
  wordOf('addresses', LISTED_ADDRESSES),
]);
export type StandingOrder = z.output<typeof STANDING_ORDER>;

function wordOf<Kind extends string, Says extends z.ZodType>(kind: Kind, says: Says) {
  const about = z.string().describe('what is meant, one of its kind');
  return z.strictObject({ kind: z.literal(kind), about, says: says.nullable() });
}

/** One that the others are still to be told. */
export const UNTOLD_ORDER = z.strictObject({ order: STANDING_ORDER, givenAt: TIME });
export type UntoldOrder = z.output<typeof UNTOLD_ORDER>;

/** Whom a ban is about: with the address, so that nobody gets another's rig banned by using its name. */
export function whomOf({ kind, login = '', address = '' }: Pick<Ban, 'kind' | 'login' | 'address'>): string {
  if (kind === 'rig') return `rig ${login} at ${address}`;
  return kind === 'address' ? `address ${address}` : `${kind} ${login}`;
}

export function listedOf({ list, addresses }: { readonly list: string; readonly addresses: string }): string {
  return `${list} ${addresses}`;
}

/** The side that carries out what was ordered at other bridges. */
export interface OrderHearer {
  /** Those in force here. */
  readonly standing: readonly StandingOrder[];
  /** It holds here from now on, in place of what was said about the same. */
  hear(order: StandingOrder): void;
  /** Writes down what was heard. */
  keepHeard(): Promise<void>;
}
