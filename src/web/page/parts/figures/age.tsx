/** Times that tick, each with the exact one in its title. `at` is ISO 8601. */
import { useNow } from '../../use/reading.js';
import { ago, duration, inFull, since, until } from '../../words/times.js';

interface AtProps {
  readonly at: string;
}

/** How long ago. */
export function Age({ at }: AtProps) {
  return <Time at={at} say={(atMs, nowMs) => ago(nowMs - atMs)} />;
}

/** How long something goes on already. */
export function Uptime({ at }: AtProps) {
  return <Time at={at} say={(atMs, nowMs) => duration(nowMs - atMs)} />;
}

/** Since when something is counted. */
export function Since({ at }: AtProps) {
  return (
    <>
      since <Time at={at} say={since} />
    </>
  );
}

/** When something is to come. */
export function Until({ at }: AtProps) {
  return <Time at={at} say={until} />;
}

/** At what time of the day, or on which day, it was. */
export function When({ at }: AtProps) {
  return <Time at={at} say={since} />;
}

function Time({ at, say }: AtProps & { say(atMs: number, nowMs: number): string }) {
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={inFull(atMs)}>
      {say(atMs, useNow())}
    </time>
  );
}
