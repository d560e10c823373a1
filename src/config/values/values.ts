/** All types of values in one: the loader hands it to tables of settings, which so load none of it. */

import * as addresses from './addresses.js';
import * as agents from './agents.js';
import * as alerts from './alerts.js';
import * as listsAndMaps from './lists-and-maps.js';
import * as numbers from './numbers.js';
import * as ports from './ports.js';
import * as rewards from './rewards.js';
import * as tokens from './tokens.js';
import * as urls from './urls.js';
import * as words from './words.js';

export const VALUES = {
  ...addresses,
  ...agents,
  ...alerts,
  ...listsAndMaps,
  ...numbers,
  ...ports,
  ...rewards,
  ...tokens,
  ...urls,
  ...words,
};
