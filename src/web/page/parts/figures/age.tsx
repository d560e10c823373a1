/** Times that tick. */
import { useNow } from '../../use/reading.js';
import { ago, inFull, since } from '../../words/times.js';

/** How long ago. @param at ISO 8601. */
export function Age({ at }: { at: string }) {
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={inFull(atMs)}>
      {ago(useNow() - atMs)}
    </time>
  );
}

/** Since when something is counted. @param at ISO 8601. */
export function Since({ at }: { at: string }) {
  const atMs = Date.parse(at);
  return (
    <>
      since{' '}
      <time dateTime={at} title={inFull(atMs)}>
        {since(atMs, useNow())}
      </time>
    </>
  );
}
