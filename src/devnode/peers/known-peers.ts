/** Nodes that this one can name to others: its own peers, and those that it was told of. Only the first are asked. */

import type { PeerInfo } from '../../chain/models.js';

/** More than these are forgotten, oldest first. */
const MOST_PEERS = 512;

export class KnownPeers {
  readonly #peers = new Map<string, PeerInfo>();

  constructor(own: readonly PeerInfo['address'][]) {
    for (const address of own) this.add({ id: null, address });
  }

  get all(): readonly PeerInfo[] {
    return [...this.#peers.values()];
  }

  add(peer: PeerInfo): void {
    this.#peers.set(`${peer.address.hostname}:${peer.address.port}`, peer);
    for (const oldest of this.#peers.keys()) {
      if (this.#peers.size <= MOST_PEERS) break;
      this.#peers.delete(oldest);
    }
  }
}
