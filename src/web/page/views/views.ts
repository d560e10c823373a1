/** All views. Another one is a line here. */
import type { ComponentType } from 'preact';
import type { Route } from '../route.js';
import { Nowhere } from './nowhere.js';
import { Overview } from './overview/overview.js';
import { Rigs } from './rigs/rigs.js';

export interface View {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly Show: ComponentType<{ route: Route }>;
}

export const VIEWS: readonly View[] = [
  { name: '', title: 'Overview', Show: Overview },
  { name: 'rigs', title: 'Rigs', Show: Rigs },
];

const NOWHERE: View = { name: 'nowhere', title: 'Nothing here', Show: Nowhere };

export function viewOf(name: string): View {
  return VIEWS.find((view) => view.name === name) ?? NOWHERE;
}
