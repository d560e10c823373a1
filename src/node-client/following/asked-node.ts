/** A node as a follower asks it, and how it fails. */
import { NodeError } from '../../chain/errors.js';
import type { PayloadWithOutputs } from '../../chain/models.js';
import { ForgedError } from '../../chain/verify.js';
import type { Link } from './links.js';

/** One node, as it can be asked now. Both reject where it does not give what it should. */
export interface FollowedNode {
  readonly node: string;
  /** What it says is its head. */
  readonly head: { readonly height: number; readonly hash: string };
  /** Headers that were hashed, descending: a block and its ancestors, or of these those from `maxHeight` down; as many as it likes. */
  branch(upper: string, window: HeaderWindow): Promise<readonly Link[]>;
  /** The first block of the chain: nothing proves it, so that each gives its own word. */
  genesis(): Promise<Link>;
  /** Payloads that were hashed into these headers, those that it has. */
  payloads(links: readonly Pick<Link, 'payloadHash' | 'height'>[]): Promise<readonly PayloadWithOutputs[]>;
}

export interface HeaderWindow {
  readonly minHeight: number;
  readonly maxHeight?: number | undefined;
  readonly limit: number;
}

/** A node answers, and does not have what is wanted. */
export class NotShown extends Error {
  override readonly name = 'NotShown';
}

/** A sentence that names the node. */
export function faultOf({ node }: FollowedNode, error: unknown): string {
  const says = faultIn(error);
  return says.startsWith(node) ? says : `${node} ${says}`;
}

/** How nodes fail is a value here; a mistake of ours, and that the caller ended it, is none of theirs. */
export function faultIn(error: unknown): string {
  const isTheirs =
    error instanceof NotShown ||
    error instanceof ForgedError ||
    (error instanceof NodeError && error.code !== 'aborted');
  if (!isTheirs) throw error;
  return error.message;
}
