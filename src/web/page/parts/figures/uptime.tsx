/** How long something goes on already. @param since ISO 8601. */
import { useNow } from '../../use/reading.js';
import { duration, inFull } from '../../words/times.js';

export function Uptime({ since }: { since: string }) {
  const atMs = Date.parse(since);
  return (
    <time dateTime={since} title={inFull(atMs)}>
      {duration(useNow() - atMs)}
    </time>
  );
}
