/** All views. Another one is a line here. */
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icons.js';
import type { Route } from '../route.js';
import { shortName, shownName } from '../words/names.js';
import { Account } from './account/account.js';
import { Accounts } from './accounts/accounts.js';
import { Activity } from './activity/activity.js';
import { Blocks } from './blocks/blocks.js';
import { Nodes } from './nodes/nodes.js';
import { Nowhere } from './nowhere.js';
import { Overview } from './overview/overview.js';
import { Payouts } from './payouts/payouts-view.js';
import { Rig } from './rig/rig.js';
import { Rigs } from './rigs/rigs.js';
import { Settings } from './settings/settings.js';

export interface View {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly Show: ComponentType<{ route: Route }>;
  /** Of one thing, which the address names: its name is what stands above it. */
  headingOf?(route: Route): string;
  /** Anonymous users may see it too, where the bridge shows them anything. */
  readonly isPublic?: boolean;
  /** On a telephone it is in sight, and not behind a button. */
  readonly isInBar?: boolean;
}

/** Those that one can go to from everywhere. */
export const VIEWS: readonly View[] = [
  { name: '', title: 'Overview', icon: 'overview', Show: Overview, isPublic: true, isInBar: true },
  { name: 'rigs', title: 'Rigs', icon: 'rigs', Show: Rigs, isInBar: true },
  { name: 'accounts', title: 'Accounts', icon: 'accounts', Show: Accounts },
  { name: 'blocks', title: 'Blocks', icon: 'blocks', Show: Blocks, isPublic: true, isInBar: true },
  { name: 'payouts', title: 'Payouts', icon: 'payouts', Show: Payouts, isInBar: true },
  { name: 'nodes', title: 'Nodes', icon: 'nodes', Show: Nodes },
  { name: 'activity', title: 'Activity', icon: 'activity', Show: Activity },
  { name: 'settings', title: 'Settings', icon: 'settings', Show: Settings },
];

const RIG: View = {
  ...{ name: 'rigs', title: 'Rig', icon: 'rigs', Show: Rig },
  headingOf: ({ parts: [, rig = ''] }) => shownName(rig) || 'Rig without a name',
};
const ACCOUNT: View = {
  ...{ name: 'accounts', title: 'Account', icon: 'accounts', Show: Account, isPublic: true },
  headingOf: ({ parts: [account = ''] }) => shortName(account),
};
const NOWHERE: View = {
  ...{ name: 'nowhere', title: 'Nothing here', icon: 'overview', Show: Nowhere, isPublic: true },
};

export function viewOf({ view: name, parts }: Route): View {
  if (name === RIG.name && parts.length > 0) return RIG;
  if (name === ACCOUNT.name && parts.length > 0) return ACCOUNT;
  return VIEWS.find((view) => view.name === name) ?? NOWHERE;
}
