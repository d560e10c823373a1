/** Questions to one base address, and the words that all these tests share. */
import { type Answer, ask } from '../devnode/helpers.js';

export const OBJECT = 'application/json;blockheader-encoding=object';
/** A hash of the right form that nothing has. */
export const NOWHERE = 'A'.repeat(43);

export interface Page<T = string> {
  readonly items: T[];
  readonly limit: number;
  readonly next: string | null;
}

/** A header in object form. */
export interface Header {
  readonly hash: string;
  readonly parent: string;
  readonly height: number;
  readonly chainId: number;
  readonly payloadHash: string;
  readonly creationTime: number;
  readonly epochStart: number;
  readonly weight: string;
  readonly target: string;
  readonly nonce: string;
  readonly featureFlags: number;
  readonly adjacents: Readonly<Record<string, string>>;
}

export interface Asker {
  get(path: string, accept?: string): Promise<Answer>;
  post(path: string, json?: unknown, accept?: string): Promise<Answer>;
  put(path: string, json: unknown): Promise<Answer>;
  page<T = string>(path: string, accept?: string): Promise<Page<T>>;
  /** Every header of a chain, orphans included, ascending. */
  headers(chain: number): Promise<Header[]>;
  head(chain: number): Promise<Header>;
}

/** @param base of the node, asked for when needed: a suite starts its node later. */
export function askerOf(base: () => string): Asker {
  const accepting = (accept: string | undefined): object => (accept ? { headers: { accept } } : {});
  const asker: Asker = {
    get: (path, accept) => ask(base() + path, accepting(accept)),
    post: (path, json, accept) =>
      ask(base() + path, { method: 'POST', ...(json === undefined ? {} : { json }), ...accepting(accept) }),
    put: (path, json) => ask(base() + path, { method: 'PUT', json }),
    page: async (path, accept) => (await asker.get(path, accept)).json(),
    headers: async (chain) => (await asker.page<Header>(`/chain/${chain}/header`, OBJECT)).items,
    async head(chain) {
      const header = (await asker.headers(chain)).at(-1);
      if (header === undefined) throw new Error(`chain ${chain} is empty`);
      return header;
    },
  };
  return asker;
}
