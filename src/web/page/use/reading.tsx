/** What the parts of the page read by. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Ask, AskError, sentence } from '../reading/ask.js';
import type { Feed, Seen } from '../reading/feed.js';
import { pause } from '../reading/pause.js';
import type { RoleHolder } from '../reading/session.js';
import { useOrders } from './orders.js';

export interface Reading {
  readonly ask: Ask;
  readonly feed: Feed;
  readonly holder: RoleHolder;
}

const Readings = createContext<Reading | undefined>(undefined);
const Now = createContext(0);

/** Around everything that reads. */
export function ReadingProvider({ reading, children }: { reading: Reading; children: ComponentChildren }) {
  return (
    <Readings.Provider value={reading}>
      <Clock>{children}</Clock>
    </Readings.Provider>
  );
}

const TICK_MS = 1_000;

function Clock({ children }: { children: ComponentChildren }) {
  const { ask } = useReading();
  const [nowMs, setNowMs] = useState(ask.nowMs());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNowMs(ask.nowMs());
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [ask]);
  return <Now.Provider value={nowMs}>{children}</Now.Provider>;
}

export function useReading(): Reading {
  const reading = useContext(Readings);
  if (!reading) throw new Error('there is no ReadingProvider around this');
  return reading;
}

/** By the clock of the bridge, anew each second. */
export function useNow(): number {
  return useContext(Now);
}

/** The newest state of the bridge. */
export function useSeen(): Seen {
  const { feed } = useReading();
  const [seen, setSeen] = useState(feed.seen);
  useEffect(() => {
    const show = (): void => setSeen(feed.seen);
    show();
    return feed.subscribe(show);
  }, [feed]);
  return seen;
}

/** How old the newest state is, in milliseconds: ages that it tells go on by so much. */
export function useSinceHeard(): number {
  const { heardAtMs } = useSeen();
  return Math.max(0, useNow() - heardAtMs);
}

export interface Asked<T> {
  /** The last answer; of another question while `isOld`. */
  readonly value: T | undefined;
  readonly isOld: boolean;
  /** Why there is none now, as a sentence. */
  readonly fault: string | undefined;
  /** There is no such thing. */
  readonly isNothing: boolean;
}

/** What is asked for seldom may have an answer again soon. */
const AFTER_FAULT_MS = 3_000;

interface Answer<T> {
  readonly key: string;
  readonly value?: T;
  readonly fault?: string;
  readonly isNothing?: boolean;
}

/**
 * Asks again and again while the bridge is there and the page is seen, and at once when it is back or an order was given.
 *
 * @param question another one is asked at once.
 */
export function useAsked<T>(
  question: string,
  everyMs: number,
  read: (ask: Ask, signal: AbortSignal) => Promise<T>,
): Asked<T> {
  const { ask } = useReading();
  const isLive = useSeen().link.state === 'live';
  const key = `${question} ${useOrders().given}`;
  const [answer, setAnswer] = useState<Answer<T>>({ key });
  useEffect(() => {
    if (!isLive) return undefined;
    const stop = new AbortController();
    void repeat(stop.signal, async () => {
      try {
        const value = await read(ask, stop.signal);
        if (!stop.signal.aborted) setAnswer({ key, value });
        return everyMs;
      } catch (error) {
        const isNothing = error instanceof AskError && error.status === 404;
        if (!stop.signal.aborted) setAnswer((last) => ({ ...last, fault: sentence(error), isNothing }));
        return Math.min(everyMs, AFTER_FAULT_MS);
      }
    });
    return () => stop.abort();
  }, [ask, isLive, key, everyMs]);
  const { value, fault, isNothing = false } = answer;
  return { value, isOld: answer.key !== key, fault, isNothing };
}

const EVERY_MS = 5_000;

/** The same of an address of the API; nothing is asked while there is none. */
export function useAnswer<T>(path: string | undefined, everyMs = EVERY_MS): Asked<T> {
  return useAsked<T | undefined>(path ?? '', everyMs, async (ask, signal) =>
    path === undefined ? undefined : ask.json<T>(path, signal),
  ) as Asked<T>;
}

/** @param once resolves with how long to wait for the next time. */
async function repeat(signal: AbortSignal, once: () => Promise<number>): Promise<void> {
  while (!signal.aborted) await pause(await once(), signal);
}
