import { hostOf } from '../words/names.js';

/** Where a node is: the rest of its address is the same for most. */
export function Host({ url }: { url: string }) {
  return (
    <span class="long" title={url}>
      {hostOf(url)}
    </span>
  );
}
