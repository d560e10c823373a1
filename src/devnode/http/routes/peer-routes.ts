/** Peers of the exchange of cuts, and of that of each chain's transactions: here they are the same nodes. */
import { isIP } from 'node:net';
import type { PeerInfo } from '../../../chain/models.js';
import { quoted } from '../../../chain/parameters.js';
import { RequestError } from '../errors.js';
import type { Handler, Handlers } from '../table.js';

const DEFAULT_PAGE = 64;
const MOST_OF_A_PAGE = 512;

/** The cursor is the number of the next entry. */
const list: Handler = (
  { knownPeers: { all } },
  { query: { limit = DEFAULT_PAGE, next = 'inclusive:0' } },
) => {
  const [form, digits = ''] = next.split(':');
  if (!/^[0-9]{1,9}$/.test(digits))
    throw new RequestError(400, `the key of next must be a number, not ${quoted(digits)}`);
  const from = Number(digits) + (form === 'exclusive' ? 1 : 0);
  const items = all.slice(from, from + Math.min(Number(limit), MOST_OF_A_PAGE));
  const end = from + items.length;
  return { items, limit: items.length, next: end < all.length ? `inclusive:${end}` : null };
};

/** 400 with the words of real nodes for what is no address. */
const add: Handler = ({ knownPeers }, { body }) => {
  const { id = null, address } = body as Pick<PeerInfo, 'address'> & { id?: string | null };
  const { hostname, port } = address;
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0 && !DOMAIN.test(hostname))
    throw new RequestError(400, `Invalid hostaddress: ${quoted(address)} names no host`);
  knownPeers.add({ id, address: { hostname, port } });
};

/** Labels of letters, digits and hyphens; 253 characters at most. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

export const PEER_HANDLERS: Handlers<'cutPeers' | 'addCutPeer' | 'poolPeers' | 'addPoolPeer'> = {
  cutPeers: list,
  addCutPeer: add,
  poolPeers: list,
  addPoolPeer: add,
};
