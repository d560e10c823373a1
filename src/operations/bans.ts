/** Bans in force. */
import { z } from 'zod';
import { BAN_KINDS } from './enums.js';
import { TIME } from './fields.js';
import { listOf } from './operation.js';

export const BAN = z
  .object({
    id: z.string().describe('by which it is taken back'),
    kind: z
      .enum(BAN_KINDS)
      .describe(
        'rig: one login at one address; login: one login wherever it comes from; account: all of its rigs; address: whoever comes from it',
      ),
    login: z
      .string()
      .optional()
      .describe('account.rig, or the account alone; not where an address is banned'),
    address: z
      .string()
      .optional()
      .describe(
        'as limits count: an IPv4 address, or the /64 of an IPv6 address; not where it holds everywhere',
      ),
    reason: z.string(),
    since: TIME,
    until: TIME.nullable().describe('null: until it is taken back'),
    by: z.string().nullable().describe('who gave the order; null: the bridge itself'),
  })
  .meta({ id: 'Ban' });
export type BanView = z.output<typeof BAN>;

export const bans = listOf({
  name: 'bans',
  tag: 'rigs',
  summary: 'Bans in force',
  item: BAN,
  columns: {
    // Taken over as it is, so never cut.
    id: { kind: 'count', importance: 1 },
    kind: { kind: 'text', importance: 2 },
    login: { kind: 'name', importance: 1 },
    address: { kind: 'name', importance: 1 },
    reason: { kind: 'text', importance: 3 },
    until: { kind: 'time', importance: 4, heading: 'until (UTC)' },
    since: { kind: 'time', importance: 6, heading: 'since (UTC)' },
    by: { kind: 'name', importance: 5 },
  },
  command: { summary: 'bans in force, each with its id' },
});
