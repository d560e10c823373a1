import { generateKeyPairSync } from 'node:crypto';
import { signRootsBy } from '../../../src/ledger/audit/roots.js';

/** Signs roots of books of tests. */
export const signRoot = signRootsBy(generateKeyPairSync('ed25519').privateKey);
