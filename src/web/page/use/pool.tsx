/** What the pool is called, what it mines, and on which terms: asked for once, for all views. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Pool } from '../reading/answers.js';
import { useAnswer } from './reading.js';

/** It changes with a restart, or with the rules of the ledger. */
const EVERY_MS = 15_000;
/** Until it is known, and for who may not know. */
export const UNKNOWN_POOL: Pool = {
  title: 'stratum-bridge',
  network: '',
  isDevelopment: false,
  coin: 'coins',
  ports: [],
  terms: null,
};

const Known = createContext<Pool>(UNKNOWN_POOL);

export function PoolProvider({ children }: { children: ComponentChildren }) {
  const { value = UNKNOWN_POOL } = useAnswer<Pool>('/api/v1/pool', EVERY_MS);
  return <Known.Provider value={value}>{children}</Known.Provider>;
}

export function usePool(): Pool {
  return useContext(Known);
}
