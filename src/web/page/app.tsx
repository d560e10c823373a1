/** The frame that all views have. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Brand } from './parts/frame/brand.js';
import { Bar, Rail } from './parts/frame/rail.js';
import { Search } from './parts/frame/search.js';
import { SignedIn, SignInCard } from './parts/frame/sign-in.js';
import { StateChip } from './parts/frame/state-chip.js';
import { Troubles } from './parts/frame/troubles.js';
import { hashOf, type Route } from './route.js';
import { OrdersProvider } from './use/orders.js';
import { PoolProvider, usePool } from './use/pool.js';
import { type Reading, ReadingProvider, useSeen } from './use/reading.js';
import { useRoute } from './use/route.js';
import { useTroubles } from './use/troubles.js';
import { viewOf } from './views/views.js';

export function App({ reading }: { reading: Reading }) {
  return (
    <ReadingProvider reading={reading}>
      <PoolProvider>
        <Frame />
      </PoolProvider>
    </ReadingProvider>
  );
}

function Frame() {
  const route = useRoute();
  const { link } = useSeen();
  const view = viewOf(route);
  const heading = view.headingOf?.(route) ?? view.title;
  const main = useRef<HTMLElement>(null);
  useFocusOnView(route, heading, main);
  const skip = (
    <button type="button" class="skip" onClick={() => main.current?.focus()}>
      Skip to the content
    </button>
  );
  if (link.state === 'lost' && link.isForTokens)
    return (
      <main class="signed-out" id="main" tabIndex={-1} ref={main} aria-label="Sign in">
        <h1 class="unseen">Sign in</h1>
        <SignInCard />
      </main>
    );
  return (
    <>
      {skip}
      <Rail current={view.name} />
      <div class="beside">
        <View route={route} heading={heading} main={main} />
      </div>
      <Bar current={view.name} />
    </>
  );
}

interface ViewProps {
  readonly route: Route;
  readonly heading: string;
  readonly main: { current: HTMLElement | null };
}

/** Head and content. */
function View({ route, heading, main }: ViewProps) {
  const { isAnonymous } = useSeen();
  const troubles = useTroubles();
  const [isOpen, setOpen] = useState(false);
  const view = viewOf(route);
  const place = placeOf(route);
  // What was opened on another view was about that moment.
  useEffect(() => setOpen(false), [place]);
  const isFirst = view.name === '';
  return (
    <>
      <header class="head">
        <Brand />
        <StateChip troubles={troubles} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
        <Search />
        <SignedIn />
      </header>
      <main id="main" tabIndex={-1} ref={main} aria-label={heading}>
        <Troubles
          troubles={troubles}
          isWhole={isFirst || isOpen}
          isAsked={isOpen}
          open={() => setOpen(true)}
        />
        <h1 class={isFirst ? 'unseen' : ''}>
          <bdi>{heading}</bdi>
        </h1>
        {isAnonymous && !view.isPublic ? (
          <NotForAnonymous />
        ) : (
          <OrdersProvider key={place}>
            <view.Show route={route} />
          </OrdersProvider>
        )}
      </main>
    </>
  );
}

/** Of another rig nothing is kept. */
function placeOf(route: Route): string {
  return [route.view, ...route.parts].join('/');
}

function useFocusOnView(route: Route, heading: string, main: ViewProps['main']): void {
  const { title } = usePool();
  const place = placeOf(route);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${heading} – ${title}`;
  }, [heading, title]);
  // Before anybody sees the view: keys pressed then are meant for it.
  useLayoutEffect(() => {
    // Who changes the view goes on at its beginning; who opens the page, at the page's.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [place]);
  const { page, before } = Object.fromEntries(route.params);
  // What leads to the next view, or page of a list, is often far down, where nobody reads first.
  useLayoutEffect(() => scrollTo(0, 0), [place, page, before]);
}

function NotForAnonymous() {
  return (
    <p>
      This is for whoever runs the pool. <a href={hashOf('')}>To the overview</a>
    </p>
  );
}
