/** The way of `ledger` to lists and orders: by a bridge that runs here, else on the ledger itself. */
import type { Asked } from '../../cli/line/command.js';
import type { OnBridge } from '../ctl/bridge.js';
import type { OrderWay } from '../ctl/way.js';
import {
  BOOKS_SETTINGS,
  type BooksSettings,
  LIST_SETTINGS,
  QUEUE_ORDER_SETTINGS,
  QUEUE_SETTINGS,
} from './settings.js';

const onLedger = async <S extends BooksSettings>(
  asked: Asked<S>,
  act: (on: OnBridge<S>) => Promise<number>,
): Promise<number> => (await import('./asking.js')).onLedger(asked, act);

export const LEDGER: OrderWay<typeof BOOKS_SETTINGS, typeof LIST_SETTINGS> = {
  order: { settings: BOOKS_SETTINGS, on: onLedger },
  list: { settings: LIST_SETTINGS, on: onLedger },
};

/** The same where the queue is asked as well. */
export const QUEUE: OrderWay<typeof QUEUE_ORDER_SETTINGS, typeof QUEUE_SETTINGS> = {
  order: { settings: QUEUE_ORDER_SETTINGS, on: onLedger },
  list: { settings: QUEUE_SETTINGS, on: onLedger },
};
