/** Flags that several commands take. */
import { flagsOnly, onOff, quantity } from '../values/setting.js';

/** How a list is written. */
export const FORM_FLAGS = flagsOnly({
  json: onOff({ default: false, help: 'JSON also on a terminal.' }),
  csv: onOff({ default: false, help: 'CSV, with every column and every digit.' }),
  wide: onOff({ default: false, help: 'A table with every column, however wide.' }),
});

export const LIST_FLAGS = flagsOnly({
  limit: quantity('count', [1, 1_000_000], { default: 100, help: 'Most rows that are shown.' }),
});
