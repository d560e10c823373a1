/** Which interfaces cross between hub and front, and how each of their methods does. */
import type { FrontBalance, FrontWorks, HubDesk } from '../../bridge/fleet/ports.js';
import type { FleetState, FrontState } from '../../bridge/fleet/state.js';
import type { FrontWatch, WatchDesk } from '../../bridge/fleet/watch.js';
import type { Steering } from '../../bridge/orders/steering.js';
import type { Contract } from './contract.js';

export const WORKS: Contract<FrontWorks> = {
  name: 'works',
  methods: {
    offerWork: 'cast',
    retireWork: 'cast',
    replaceWorks: 'cast',
    handsOut: 'cast',
    number: 'cast',
    booksClock: 'cast',
  },
};

export const DESK: Contract<HubDesk> = {
  name: 'desk',
  methods: {
    takeSolution: 'call',
    answered: 'cast',
    missingEntries: 'call',
    announceProducer: 'call',
    log: 'cast',
    load: 'cast',
    beat: 'cast',
  },
};

export const BALANCE: Contract<FrontBalance> = { name: 'balance', methods: { loads: 'cast' } };

/** What holds over all fronts: the hub's side. */
export const STATE: Contract<FleetState> = {
  name: 'state',
  methods: { tell: 'cast', has: 'cast', claim: 'call', judge: 'call', change: 'call' },
};

/** The front's side of it. */
export const FRONT_STATE: Contract<FrontState> = {
  name: 'frontState',
  methods: { begin: 'call', hear: 'cast', giveUp: 'call', judge: 'call', obey: 'call' },
};

/** What a front shows of its rigs. */
export const FRONT_WATCH: Contract<FrontWatch> = {
  name: 'frontWatch',
  methods: {
    sessionKeys: 'call',
    sessions: 'call',
    keys: 'call',
    moreKeys: 'call',
    rigs: 'call',
    rig: 'call',
    accounts: 'call',
    sessionsByAccount: 'call',
  },
};

/** What is ordered of a front's rigs. */
export const STEERING: Contract<Steering> = {
  name: 'steering',
  methods: {
    close: 'call',
    ban: 'call',
    unban: 'call',
    setDifficulty: 'call',
    difficulties: 'call',
    setLabel: 'call',
    labels: 'call',
    listAddresses: 'call',
    listedAddresses: 'call',
    drain: 'call',
    cancelDrain: 'call',
    tell: 'call',
  },
};

/** What comes at a front, for those who count. */
export const WATCH_DESK: Contract<WatchDesk> = { name: 'watchDesk', methods: { take: 'cast' } };
