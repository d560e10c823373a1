/** Which token somebody shows. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Empty where there is none. */
export interface Tokens {
  /** May read and give orders. */
  readonly admin: string;
  /** May only read. */
  readonly read: string;
  /** May read, prepare and approve payouts, and pause them; absent: there is none. */
  readonly approve?: string;
}

/** `Authorization: Bearer TOKEN` (RFC 6750, 2.1); `undefined` where no token is shown. What is none of the form is a wrong one. */
export function bearerIn(header: string | undefined): string | undefined {
  if (header === undefined || !/^bearer\b/i.test(header)) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
}

/** Takes as long for any token: how much of it is right cannot be measured. */
export function roleOf(
  shown: string,
  { admin, read, approve = '' }: Tokens,
): 'admin' | 'approve' | 'read' | undefined {
  const digest = digestOf(shown);
  const [isAdmin, isApprove, isRead] = [isThis(digest, admin), isThis(digest, approve), isThis(digest, read)];
  if (isAdmin) return 'admin';
  if (isApprove) return 'approve';
  return isRead ? 'read' : undefined;
}

function isThis(digest: Buffer, own: string): boolean {
  return timingSafeEqual(digest, digestOf(own)) && own !== '';
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
