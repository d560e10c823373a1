/** Who asks, and whom a route answers. Each route says its audience; one that says nothing is for operators alone. */
import type { Standing } from '../../operations/enums.js';

/**
 * Whom a route answers.
 *
 * - `everyone`: it tells nothing of this bridge but that it lives, or nothing that is not in the sources. An order of this
 *   kind is one to sign in or out.
 * - `miners`: what a miner may see of a pool; strangers get it only where `web.public` is set.
 * - `operators`: whoever has a token or a session.
 *
 * - `approvers`: as `operators`; and besides the admin token the token of who approves payouts gives this order.
 *
 * - `owners`: whoever proves in the request that an account is his; the route looks at the proof.
 *
 * Other orders, which is all but GET and HEAD, take the admin token or a session that stands for it, whatever the audience.
 */
export type Audience = 'everyone' | 'miners' | 'operators' | 'approvers' | 'owners';

declare module 'fastify' {
  interface FastifyContextConfig {
    audience?: Audience;
    /** Balancers ask it for many, and it costs nothing: not counted by address. */
    isUncounted?: boolean;
  }
  interface FastifyRequest {
    /** Set before any handler runs; who was not looked at is a stranger. */
    standing?: Standing;
    /** Whether the token or session that was shown is one still; absent where none was. */
    isStillKnown?: (() => boolean) | undefined;
    /** Who asks, where the standing does not tell: by the control socket, or by a link. */
    askedBy?: string;
  }
}

/** Who gives an order, for the log and the timeline: without an address, as both are read by many. */
export function orderedBy({
  standing = 'stranger',
  askedBy = '',
}: {
  readonly standing?: Standing;
  readonly askedBy?: string;
}): string {
  return askedBy || NAMES[standing];
}

const NAMES: Readonly<Record<Standing, string>> = {
  admin: 'admin token',
  approve: 'approve token',
  read: 'read token',
  stranger: 'a stranger',
};

export function isOperator({ standing = 'stranger' }: { readonly standing?: Standing }): boolean {
  return standing !== 'stranger';
}
