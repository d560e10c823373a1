/** How many nodes these are: where any address and port of two is the same, they are one. */
import { lookup } from 'node:dns/promises';

/** What stands behind one balancer cannot be seen. A name that is not found now counts by itself. */
export async function distinctNodes(urls: readonly string[]): Promise<number> {
  const groups: Set<string>[] = [];
  for (const places of await Promise.all(urls.map(placesOf))) {
    const same = groups.filter((group) => places.some((place) => group.has(place)));
    const joined = new Set([...places, ...same.flatMap((group) => [...group])]);
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  return groups.length;
}

async function placesOf(url: string): Promise<string[]> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = port || (protocol === 'https:' ? '443' : '80');
  const found = await lookup(host, { all: true }).catch(() => [{ address: host }]);
  return found.map(({ address }) => `${address} ${at}`);
}
