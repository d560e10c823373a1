/** All views. Another one is a line here. */
import type { ComponentType } from 'preact';
import type { Route } from '../route.js';
import { Blocks } from './blocks/blocks.js';
import { Events } from './events/events.js';
import { Money } from './money/money.js';
import { Nodes } from './nodes/nodes.js';
import { Nowhere } from './nowhere.js';
import { Overview } from './overview/overview.js';
import { Rigs } from './rigs/rigs.js';
import { Settings } from './settings/settings.js';

export interface View {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly Show: ComponentType<{ route: Route }>;
}

export const VIEWS: readonly View[] = [
  { name: '', title: 'Overview', Show: Overview },
  { name: 'rigs', title: 'Rigs', Show: Rigs },
  { name: 'blocks', title: 'Blocks', Show: Blocks },
  { name: 'money', title: 'Money', Show: Money },
  { name: 'nodes', title: 'Nodes', Show: Nodes },
  { name: 'events', title: 'Events', Show: Events },
  { name: 'settings', title: 'Settings', Show: Settings },
];

const NOWHERE: View = { name: 'nowhere', title: 'Nothing here', Show: Nowhere };

export function viewOf(name: string): View {
  return VIEWS.find((view) => view.name === name) ?? NOWHERE;
}
