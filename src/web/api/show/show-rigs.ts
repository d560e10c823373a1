/** Bans as the API writes them. */
import type { Ban } from '../../../bridge/orders/steering.js';
import type { BanView } from '../../../operations/bans.js';
import { timeOf, timeOrNull } from '../../../operations/values.js';

/** An address as whoever asks may see it. */
export type Shown = (address: string) => string;

export function showBan(ban: Ban, address: Shown): BanView {
  const { id, kind, login, reason, sinceMs, untilMs, by } = ban;
  return {
    id,
    kind,
    ...(login === '' ? {} : { login }),
    ...(ban.address === '' ? {} : { address: address(ban.address) }),
    reason,
    since: timeOf(sinceMs),
    until: timeOrNull(untilMs),
    by: by === '' ? null : by,
  };
}
