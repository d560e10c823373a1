/** Who asks, and by what he may. A route says what it takes; one that says nothing takes `read`, and as an order `admin`. */
import { type Access, may } from '../../operations/enums.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Balancers ask it for many, and it costs nothing: not counted by address. */
    isUncounted?: boolean;
  }
  interface FastifyRequest {
    /** Set before any handler runs; who was not looked at is anonymous. Who comes by the control socket is `admin`. */
    standing?: Access;
    /** Whether the token or session that was shown is one still; absent where none was. */
    isStillKnown?: (() => boolean) | undefined;
    /** Who asks, for the log and the timeline: without an address, as both are read by many. */
    askedBy?: string;
    /** The name of the token that was shown, or that made the session; absent where none was. */
    token?: string | undefined;
  }
}

/** Who gives an order. */
export function orderedBy({ askedBy = '' }: { readonly askedBy?: string }): string {
  return askedBy || 'somebody anonymous';
}

/** Whether he sees more than a miner does. */
export function isOperator({ standing = 'anonymous' }: { readonly standing?: Access }): boolean {
  return may(standing, 'read');
}
