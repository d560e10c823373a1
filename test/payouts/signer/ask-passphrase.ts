/** A process of its own, on a terminal: asks, and tells the hash of what it got. */
import { createHash } from 'node:crypto';
import { promptPassphrase } from '../../../src/payouts/signer/passphrase.js';

const passphrase = await promptPassphrase(process.stdin, process.stdout, 'Passphrase: ').catch(
  (error: Error) => {
    process.stdout.write(`${error.name}: ${error.message}\n`);
    process.exit(3);
  },
);
process.stdout.write(
  `${passphrase.length} ${createHash('sha256').update(passphrase).digest('hex').slice(0, 16)}\n`,
);
