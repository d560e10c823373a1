/** Where one is on the page: `#/rigs?q=cellar`. Kept in the address, so that it can be sent to somebody and lasts over a reload. */

export interface Route {
  /** `rigs`; empty for the first view. */
  readonly view: string;
  /** What follows it, as `#/rigs/account/rig` has. */
  readonly parts: readonly string[];
  readonly params: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''), '?');
  const [view = '', ...parts] = path.split('/').map(decoded);
  return { view, parts, params: new URLSearchParams(query) };
}

/** Parameters that are empty are left out. */
export function hashOf(
  view: string,
  params: Readonly<Record<string, string>> = {},
  parts: readonly string[] = [],
): string {
  const set = Object.entries(params).filter(([, value]) => value !== '');
  const query = new URLSearchParams(set).toString();
  const path = [view, ...parts].map(encodeURIComponent).join('/');
  return `#/${path}${query && `?${query}`}`;
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place === -1 ? [text, ''] : [text.slice(0, place), text.slice(place + 1)];
}

/** Somebody may have typed anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
