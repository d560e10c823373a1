/** Who asks, and whom a route answers. Each route says its audience; one that says nothing is for operators alone. */

/**
 * Whom a route answers.
 *
 * - `everyone`: it tells nothing of this bridge but that it lives, or nothing that is not in the sources.
 * - `miners`: what a miner may see of a pool; strangers get it only where `web.public` is set.
 * - `operators`: whoever has a token or asks on this machine.
 * - `machine`: the same; and programs on this machine may give this order without a token.
 *
 * - `approvers`: as `operators`; and besides the admin token the token of who approves payouts gives this order.
 *
 * - `owners`: whoever proves in the request that an account is his; the route looks at the proof.
 *
 * Other orders, which is all but GET and HEAD, take the admin token, whatever the audience.
 */
export type Audience = 'everyone' | 'miners' | 'operators' | 'machine' | 'approvers' | 'owners';

/** By what somebody may ask: one of the tokens, being on this machine, or nothing. Who comes by the control socket is `admin`. */
export type Standing = 'admin' | 'approve' | 'read' | 'machine' | 'stranger';

declare module 'fastify' {
  interface FastifyContextConfig {
    audience?: Audience;
    /** Balancers ask it for many, and it costs nothing: not counted by address. */
    isUncounted?: boolean;
  }
  interface FastifyRequest {
    /** Set before any handler runs; who was not looked at is a stranger. */
    standing?: Standing;
    /** Whether the token that was shown is one still; absent where none was. */
    isStillKnown?: (() => boolean) | undefined;
    /** Who asks by the control socket. */
    controlUser?: string;
  }
}

/** Who gives an order, for the log and the timeline: without an address, as both are read by many. */
export function orderedBy({
  standing = 'stranger',
  controlUser = '',
}: {
  readonly standing?: Standing;
  readonly controlUser?: string;
}): string {
  return controlUser || NAMES[standing];
}

const NAMES: Readonly<Record<Standing, string>> = {
  admin: 'admin token',
  approve: 'approve token',
  read: 'read token',
  machine: 'a program on this machine',
  stranger: 'a stranger',
};

export function isOperator({ standing = 'stranger' }: { readonly standing?: Standing }): boolean {
  return standing !== 'stranger';
}
