/** Lists of nodes that a node knows, of cuts and of transactions alike. */
import type { z } from 'zod';
import { type Page, type PeerInfo, type pageModel, peerModel } from '../../chain/models.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';

/** Which part of a list of peers; `next` is that of an earlier page. */
export interface PeerWindow {
  /** 64 by default, at most 512. */
  readonly limit?: number;
  readonly next?: string;
}

export async function peersOf(
  caller: Caller,
  call: Call<typeof pageModel>,
  policy: CallPolicy | undefined,
): Promise<Page<PeerInfo>> {
  const { items, limit, next } = await caller.json(call, policy);
  const read = (item: unknown, i: number): z.output<typeof peerModel> => {
    const peer = peerModel.safeParse(item);
    if (peer.success) return peer.data;
    throw caller.formatError(call, `items.${i}: ${peer.error.issues[0]?.message}`, peer.error);
  };
  return { items: items.map(read), limit, next };
}
