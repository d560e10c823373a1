import { is, statementsOf } from '../database/statements.js';

export const SQL = statementsOf(
  new URL('copies.sql', import.meta.url),
  {
    hasMoney: { has: is.bool },
    known: { id: is.bigint },
    belowZero: { owner: is.text, amount: is.numeric },
    renew: { used: is.bool },
  },
  ['makeRoom', 'keepFormer'],
);
