/** What books say of chains that stand still where a node has left them, for who does as they say. */
import { expect } from 'vitest';

/** Of the chains that name one. */
export const NAMED_ORDERS =
  "SELECT trouble FROM stratum_bridge.chain WHERE trouble LIKE '%`stratum-bridge ledger follow undo %'";

/** Words after the program's name, to which the note is added. */
export function orderIn({ trouble }: { readonly trouble: string }): readonly string[] {
  const [, words] = /`stratum-bridge (ledger follow undo .*) WHY`/.exec(trouble) ?? [];
  return words?.split(' ') ?? expect.fail(trouble);
}
