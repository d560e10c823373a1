/** Whom commands ask, and give orders to. */
import type { Asked } from '../../cli/line/command.js';
import type { OnBridge } from './bridge.js';
import { CTL_LIST_SETTINGS, CTL_SETTINGS, type CtlListSettings, type CtlSettings } from './settings.js';

export interface Way<S extends CtlSettings = CtlListSettings> {
  readonly settings: S;
  on(asked: Asked<S>, act: (on: OnBridge<S>) => Promise<number>): Promise<number>;
}

export interface OrderWay<S extends CtlSettings = CtlSettings, L extends CtlListSettings = CtlListSettings> {
  readonly order: Way<S>;
  /** Of a list that is shown where no word of an order is given, and of any other. */
  readonly list: Way<L>;
}

const onBridge = async <S extends CtlSettings>(
  asked: Asked<S>,
  act: (on: OnBridge<S>) => Promise<number>,
): Promise<number> => (await import('./bridge.js')).onBridge(asked, act);

/** A bridge that runs. */
export const CTL: OrderWay = {
  order: { settings: CTL_SETTINGS, on: onBridge },
  list: { settings: CTL_LIST_SETTINGS, on: onBridge },
};
