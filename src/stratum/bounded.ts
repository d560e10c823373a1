/** Maps whose entries are forgotten in their order once there are too many. */

/** @param forgotten called for each entry that goes, after it has gone. */
export function forgetOldest<K, V>(
  map: Map<K, V>,
  most: number,
  forgotten?: (value: V, key: K) => void,
): void {
  for (const [key, value] of map) {
    if (map.size <= most) return;
    map.delete(key);
    forgotten?.(value, key);
  }
}
