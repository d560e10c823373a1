/** All guards of payouts. `npm run test:long` takes each of them out of a copy of the sources, and sees its test fail there. */
import { AFTER_A_RESTORE, IN_THE_BOOKS } from './guards/books.js';
import { OF_THE_EVIDENCE } from './guards/evidence.js';
import type { Guard } from './guards/guard.js';
import { OF_THE_PAYER } from './guards/payer.js';
import { OF_THE_SIGNER } from './guards/signer.js';

export const GUARDS: readonly Guard[] = [
  ...IN_THE_BOOKS,
  ...AFTER_A_RESTORE,
  ...OF_THE_SIGNER,
  ...OF_THE_PAYER,
  ...OF_THE_EVIDENCE,
];
