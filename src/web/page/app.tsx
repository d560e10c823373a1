/** The frame that all views have. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { SignIn } from './parts/controls/sign-in.js';
import { ThemeSwitch } from './parts/controls/theme-switch.js';
import { LinkState } from './parts/link-state.js';
import { Troubles } from './parts/troubles.js';
import { hashOf } from './route.js';
import { type Reading, ReadingProvider, useNow, useSeen } from './use/reading.js';
import { useRoute } from './use/route.js';
import { VIEWS, viewOf } from './views/views.js';
import { duration } from './words/times.js';

export function App({ reading }: { reading: Reading }) {
  return (
    <ReadingProvider reading={reading}>
      <Frame />
    </ReadingProvider>
  );
}

function Frame() {
  const route = useRoute();
  const view = viewOf(route);
  const heading = view.headingOf?.(route) ?? view.title;
  // Of another rig nothing is kept.
  const place = [route.view, ...route.parts].join('/');
  const { link, isAnonymous } = useSeen();
  const isForTokens = link.state === 'lost' && link.isForTokens;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Before anybody sees the view: keys pressed then are meant for it.
  useLayoutEffect(() => {
    document.title = `${heading} – stratum-bridge`;
    // Who changes the view goes on at its beginning; who opens the page, at the page's.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [place]);
  const { page, before } = Object.fromEntries(route.params);
  // What leads to the next view, or page of a list, is often far down, where nobody reads first.
  useLayoutEffect(() => scrollTo(0, 0), [place, page, before]);
  return (
    <>
      <Header current={view.name} skip={() => main.current?.focus()} />
      <main id="main" tabIndex={-1} ref={main} aria-label={heading}>
        <h1>{heading}</h1>
        <Troubles />
        {isForTokens && <SignIn isOpen />}
        {isAnonymous && !view.isPublic ? <NotForAnonymous /> : <view.Show key={place} route={route} />}
      </main>
      {!isForTokens && <SignIn />}
      <Footer />
    </>
  );
}

function Header({ current, skip }: { current: string; skip: () => void }) {
  const { isAnonymous } = useSeen();
  const views = VIEWS.filter(({ isPublic }) => isPublic || !isAnonymous);
  return (
    <header class="head">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <span class="brand">stratum-bridge</span>
      <nav aria-label="Views">
        <ul>
          {views.map(({ name, title }) => (
            <li key={name}>
              <a href={hashOf(name)} aria-current={name === current ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <LinkState />
    </header>
  );
}

function NotForAnonymous() {
  return (
    <p>
      This is for whoever runs the bridge. <a href={hashOf('')}>To the overview</a>
    </p>
  );
}

function Footer() {
  const { summary, totals, isAnonymous } = useSeen();
  const nowMs = useNow();
  return (
    <footer class="foot">
      {summary && (
        <p>
          Version {summary.version}
          {summary.instance !== null && `, instance ${summary.instance}`}, up{' '}
          {duration(nowMs - Date.parse(summary.startedAt))}
        </p>
      )}
      {!summary && totals && <p>Version {totals.version}</p>}
      <p class="foot-links">
        <a href="/api">API</a>
        {!isAnonymous && <a href="/metrics">Metrics</a>}
        <ThemeSwitch />
      </p>
    </footer>
  );
}
