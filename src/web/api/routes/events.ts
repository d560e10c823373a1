/** The timeline, the latest first. */

import type { TimelineView } from '../../../bridge/timeline/timeline.js';
import { keyOf, type TimelineEvent } from '../../../bridge/timeline/timeline-event.js';
import { BooksAwayError } from '../../../bridge/watch/books-watch.js';
import type { Log } from '../../../core/names/log.js';
import { type EventView, events, loginFrom } from '../../../operations/events.js';
import { InTime } from '../../state/in-time.js';
import { serve } from '../serve.js';
import type { Api } from '../typed.js';
import { addressesFor } from './rigs.js';

export function addEventRoutes(api: Api, timeline: TimelineView, log: Log): void {
  const inTime = new InTime(log);
  serve(api, events, async ({ before, limit, kind: kinds, since, login: text }, request) => {
    const login = text === undefined ? undefined : loginFrom(text);
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const lines = await inTime.ask(() => timeline.readLines({ before, limit, kinds, sinceMs, login }));
    if (!lines)
      throw new BooksAwayError('the timeline is in the ledger, which does not answer now: try again later');
    const address = addressesFor(request);
    const next = lines.length < limit ? undefined : lines.at(-1)?.id;
    return { events: lines.map((line) => showEvent(line, address)), next: next ?? null };
  });
}

/** @param address as whoever looks may see it. */
export function showEvent(line: TimelineEvent, address: (full: string) => string): EventView {
  const { id, atMs, kind, says, facts, instance, by } = line;
  const { address: full } = facts;
  return {
    ...(id === undefined ? {} : { id }),
    key: keyOf(line),
    time: new Date(atMs).toISOString(),
    kind,
    says,
    facts: typeof full === 'string' ? { ...facts, address: address(full) } : facts,
    instance,
    by,
  };
}
