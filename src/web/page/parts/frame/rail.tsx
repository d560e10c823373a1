/** Where one can go: a rail beside the view, and on a telephone a bar at its foot with the rest behind a button. */
import { useEffect, useRef } from 'preact/hooks';
import { hashOf } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { VIEWS, type View } from '../../views/views.js';
import { Icon } from '../icons.js';
import { Brand } from './brand.js';
import { ThemeSwitch } from './theme-switch.js';

interface NavigationProps {
  /** The name of the view that is seen. */
  readonly current: string;
}

function useViews(): readonly View[] {
  const { isAnonymous } = useSeen();
  return VIEWS.filter(({ isPublic }) => isPublic || !isAnonymous);
}

export function Rail({ current }: NavigationProps) {
  const { summary } = useSeen();
  return (
    <aside class="rail" aria-label="The pool and its views">
      <Brand />
      <nav aria-label="Views">
        <ul>
          {useViews().map((view) => (
            <ViewLink key={view.name} view={view} isCurrent={view.name === current} />
          ))}
        </ul>
      </nav>
      <Links />
      {summary && <p class="version">Version {summary.version}</p>}
    </aside>
  );
}

/** As many as thumbs find side by side, with the button for the rest. */
const IN_BAR = 4;

export function Bar({ current }: NavigationProps) {
  const views = useViews();
  const rest = views.slice(IN_BAR);
  const more = useRef<HTMLDetailsElement>(null);
  // It lies over the view that was chosen in it.
  useEffect(() => more.current?.removeAttribute('open'), [current]);
  return (
    <nav class="bar" aria-label="Views">
      <ul>
        {views.slice(0, IN_BAR).map((view) => (
          <ViewLink key={view.name} view={view} isCurrent={view.name === current} />
        ))}
        <li>
          <details ref={more}>
            <summary>
              <Icon name="more" />
              More
            </summary>
            <div class="sheet">
              <ul>
                {rest.map((view) => (
                  <ViewLink key={view.name} view={view} isCurrent={view.name === current} />
                ))}
              </ul>
              <Links />
            </div>
          </details>
        </li>
      </ul>
    </nav>
  );
}

function ViewLink({ view: { name, title, icon }, isCurrent }: { view: View; isCurrent: boolean }) {
  return (
    <li>
      <a href={hashOf(name)} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={icon} />
        {title}
      </a>
    </li>
  );
}

function Links() {
  const { isAnonymous } = useSeen();
  return (
    <p class="rail-foot">
      <ThemeSwitch />
      <a href="/api">API</a>
      {!isAnonymous && <a href="/metrics">Metrics</a>}
    </p>
  );
}
