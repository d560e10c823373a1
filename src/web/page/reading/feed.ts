/** The newest state of the bridge: followed while the page is seen, and found again by itself when it was lost. */
import type { EventView, PublicSummary, Summary } from './answers.js';
import { type Ask, AskError, sentence } from './ask.js';
import { readEvents } from './events.js';
import { pause } from './pause.js';

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** The page is not looked at, so it reads nothing. */
  | { readonly state: 'paused' }
  | Lost;

export interface Lost {
  readonly state: 'lost';
  /** A sentence. */
  readonly says: string;
  /** It was the bridge, or something before it, that said so; otherwise nobody answers. */
  readonly isAnswer: boolean;
  /** It wants a token. */
  readonly isForTokens: boolean;
}

export interface Seen {
  readonly link: Link;
  /** The last one, however old it is; `undefined` until there was one, and for anonymous users. */
  readonly summary: Summary | undefined;
  /** What anonymous users are told too. */
  readonly totals: PublicSummary | undefined;
  /** Who looks is told the totals alone. */
  readonly isAnonymous: boolean;
  /** When it came, by the clock of the bridge; 0 until there was one. */
  readonly heardAtMs: number;
}

export interface Feed {
  readonly seen: Seen;
  /** @returns what ends it. */
  subscribe(changed: () => void): () => void;
  /** Of what happens from now on, as the stream tells it. @returns what ends it. */
  onEvent(heard: (event: EventView) => void): () => void;
  start(): void;
  stop(): void;
  /** With another token: what is read by the one before ends. */
  again(): void;
}

/** A snapshot comes each second; a busy machine may take longer. */
const SILENT_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** They are many, and of none of them it is known how many more there are. */
const ANONYMOUS_EVERY_MS = 3_000;

export function createFeed(ask: Ask): Feed {
  let seen: Seen = NOTHING_SEEN;
  let following: AbortController | undefined;
  const listeners = new Set<() => void>();
  const witnesses = new Set<(event: EventView) => void>();
  const happened = (event: EventView): void => {
    for (const witness of witnesses) witness(event);
  };
  const show = (change: Partial<Seen>): void => {
    seen = { ...seen, ...change };
    for (const changed of listeners) changed();
  };
  const heard = (totals: Heard): void => {
    const summary = isWhole(totals) ? totals : undefined;
    show({ link: { state: 'live' }, summary, totals, isAnonymous: !summary, heardAtMs: ask.nowMs() });
  };
  const lost = (failure: unknown): void => {
    const isForTokens = failure instanceof AskError && failure.status === 401;
    const says = sentence(failure);
    show({ link: { state: 'lost', says, isAnswer: isAnswer(failure), isForTokens } });
  };
  const start = (): void => {
    if (following || document.hidden) return;
    following = new AbortController();
    show({ link: { state: 'connecting' } });
    void keepFollowing(ask, { heard, happened, lost }, following.signal);
  };
  const leave = (): void => {
    following?.abort();
    following = undefined;
  };
  const stop = (): void => {
    leave();
    show({ link: { state: 'paused' } });
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  return {
    get seen() {
      return seen;
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    onEvent: (witness) => {
      witnesses.add(witness);
      return () => void witnesses.delete(witness);
    },
    start,
    stop,
    again: () => {
      leave();
      start();
    },
  };
}

const NOTHING_SEEN: Seen = {
  link: { state: 'connecting' },
  summary: undefined,
  totals: undefined,
  isAnonymous: false,
  heardAtMs: 0,
};

type Heard = Summary | PublicSummary;

function isWhole(heard: Heard): heard is Summary {
  return 'nodes' in heard;
}

interface Told {
  heard(summary: Heard): void;
  happened(event: EventView): void;
  lost(failure: unknown): void;
}

async function keepFollowing(ask: Ask, told: Told, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  const heard = (summary: Heard): void => {
    pauseMs = FIRST_PAUSE_MS;
    told.heard(summary);
  };
  while (!signal.aborted) {
    const failure = await follow(ask, { ...told, heard }, signal);
    if (signal.aborted) return;
    // The stream has no place, or is not for who looks: then the state can be asked for.
    const isHeard = isAnswer(failure) && (await askForState(ask, told, signal));
    if (signal.aborted) return;
    if (!isHeard) told.lost(failure);
    // Readers that lost it together do not come back together.
    await pause(pauseMs * (0.75 + Math.random() / 2), signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

/** By anonymous users as long as there are answers, as the stream is not for them; by others once. @returns whether there was any. */
async function askForState(ask: Ask, told: Told, signal: AbortSignal): Promise<boolean> {
  for (let isFirst = true; ; isFirst = false) {
    const summary = await ask.json<Heard>('/api/v1/summary', signal).catch(() => undefined);
    if (!summary || signal.aborted) return !isFirst;
    told.heard(summary);
    if (isWhole(summary)) return true;
    await pause(ANONYMOUS_EVERY_MS, signal);
  }
}

/** Resolves with why it is over. */
async function follow(
  ask: Ask,
  { heard, happened }: Pick<Told, 'heard' | 'happened'>,
  signal: AbortSignal,
): Promise<unknown> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
  try {
    const response = await ask.open('/api/v1/stream', AbortSignal.any([signal, silence.signal]));
    if (!response.body) return new AskError('the stream of the bridge has no body', true);
    for await (const { event, data } of readEvents(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
      if (event === 'snapshot') heard(JSON.parse(data) as Summary);
      if (event === 'event') happened(JSON.parse(data) as EventView);
    }
    return new AskError('the bridge has ended the stream', false);
  } catch (error) {
    const says = `the bridge has said nothing for ${SILENT_AFTER_MS / 1000} s`;
    return silence.signal.aborted ? new AskError(says, false) : error;
  } finally {
    clearTimeout(timer);
  }
}

function isAnswer(failure: unknown): boolean {
  return failure instanceof AskError && failure.isAnswer;
}
