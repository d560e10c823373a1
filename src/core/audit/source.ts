/** What a pool shows of an account by its API: pages of roots, and proofs by eight, whoever asks for them. */
import type { AuditSource } from './audit.js';
import type { IsSigned, PublishedRule, ShownProof, ShownSplit } from './judge.js';
import type { SignedRoot } from './root.js';

/** As many as a pool gives at once. */
const ROOTS_AT_ONCE = 1000;
const PROOFS_AT_ONCE = 8;

export interface Shown {
  readonly pool: { readonly terms: PublishedRule | null };
  readonly splits: { readonly splits: readonly ShownSplit[] };
  readonly roots: {
    readonly roots: readonly (SignedRoot & { readonly until: string })[];
    readonly next: string | null;
  };
  readonly proofs: { readonly proofs: readonly ShownProof[] };
}

interface SourceOptions {
  readonly account: string;
  /** That its owner asks, signed. */
  readonly signed: object;
  /** @param body of an order; absent for a question. */
  ask<K extends keyof Shown>(what: K, path: string, body?: object): Promise<Shown[K]>;
  readonly isSigned: IsSigned;
}

export function sourceOf({ account, signed, ask, isSigned }: SourceOptions): AuditSource {
  const own = `/api/v1/accounts/${encodeURIComponent(account)}`;
  return {
    isSigned,
    rule: async () => (await ask('pool', '/api/v1/pool')).terms,
    splits: async () => (await ask('splits', `${own}/splits`)).splits,
    rootsSince: async (since) => {
      const all: SignedRoot[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const before: string = next === '' ? '' : `&before=${next}`;
        const page: Shown['roots'] = await ask('roots', `/api/v1/roots?limit=${ROOTS_AT_ONCE}${before}`);
        all.push(...page.roots);
        next = page.roots.some(({ until }) => until <= since) ? null : page.next;
      }
      return all;
    },
    proofs: async (numbers) => {
      const all: ShownProof[] = [];
      for (let at = 0; at < numbers.length; at += PROOFS_AT_ONCE) {
        const roots = numbers.slice(at, at + PROOFS_AT_ONCE);
        all.push(...(await ask('proofs', `${own}/proofs`, { ...signed, roots })).proofs);
      }
      return all;
    },
  };
}
