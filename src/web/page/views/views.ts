/** All views. Another one is a line here. */
import type { ComponentType } from 'preact';
import type { Route } from '../route.js';
import { Account } from './account/account.js';
import { Blocks } from './blocks/blocks.js';
import { Events } from './events/events.js';
import { Money } from './money/money.js';
import { Nodes } from './nodes/nodes.js';
import { Nowhere } from './nowhere.js';
import { Overview } from './overview/overview.js';
import { Rig } from './rig/rig.js';
import { Rigs } from './rigs/rigs.js';
import { Settings } from './settings/settings.js';

interface View {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly Show: ComponentType<{ route: Route }>;
  /** Of one thing, which the address names: its name is what stands above it. */
  headingOf?(route: Route): string;
  /** Anonymous users may see it too, where the bridge shows them anything. */
  readonly isPublic?: boolean;
}

/** Those that one can go to from everywhere. */
export const VIEWS: readonly View[] = [
  { name: '', title: 'Overview', Show: Overview, isPublic: true },
  { name: 'rigs', title: 'Rigs', Show: Rigs },
  { name: 'blocks', title: 'Blocks', Show: Blocks, isPublic: true },
  { name: 'money', title: 'Money', Show: Money },
  { name: 'nodes', title: 'Nodes', Show: Nodes },
  { name: 'events', title: 'Events', Show: Events },
  { name: 'settings', title: 'Settings', Show: Settings },
];

const RIG: View = {
  name: 'rigs',
  title: 'Rig',
  Show: Rig,
  headingOf: ({ parts: [, rig] }) => rig || 'Rig without a name',
};
const ACCOUNT: View = { name: 'account', title: 'Account', Show: Account, isPublic: true };
const NOWHERE: View = { name: 'nowhere', title: 'Nothing here', Show: Nowhere, isPublic: true };

export function viewOf({ view: name, parts }: Route): View {
  if (name === RIG.name && parts.length > 0) return RIG;
  if (name === ACCOUNT.name) return ACCOUNT;
  return VIEWS.find((view) => view.name === name) ?? NOWHERE;
}
