/** All that an operator orders of the rigs' side. Who carries it out has the type of this table. */
import { ban, unban } from '../bans.js';
import { cancelDrain, drain } from '../drain.js';
import type { Handlers } from '../entry/operation.js';
import { closeSession, message } from '../rigs.js';
import { address, difficulty, label } from './by-order.js';

export const RIG_ORDERS = {
  ban,
  unban,
  closeSession,
  difficulty,
  label,
  address,
  drain,
  cancelDrain,
  message,
};
export type RigOrderHandlers = Handlers<typeof RIG_ORDERS>;
