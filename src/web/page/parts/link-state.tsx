/** Whether what is shown is what is. */
import type { Link } from '../reading/feed.js';
import { useSeen } from '../use/reading.js';

const WORDS: Record<Link['state'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  lost: 'Offline',
};

export function LinkState() {
  const { link } = useSeen();
  return (
    <p class={`link-state is-${link.state}`} role="status">
      {WORDS[link.state]}
    </p>
  );
}
