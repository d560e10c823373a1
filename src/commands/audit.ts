/** `stratum-bridge audit`: whether a pool gave an account its part. */
import { defineCommand } from '../cli/line/command.js';
import { AUDIT_SETTINGS } from './audit/settings.js';

export const command = defineCommand({
  summary: 'check what a pool gave your account of its blocks',
  about:
    'Asks a pool for the roots that it has signed, for proofs of what your account did, and for the splits of its last blocks, and computes your part ' +
    'of each anew. With --log it also compares what your rigs were answered (`rig --log FILE`). With --roots it keeps the roots that it was shown, and ' +
    'finds where somebody was shown others: give each other these files. The key signs that you ask; it stays here. Not proven is that all work in a ' +
    'root was done: an operator could add an account that never mined.',
  words: '<url>',
  settings: AUDIT_SETTINGS,
  examples: [
    'audit https://pool.example --key account.json',
    'audit http://127.0.0.1:1920 --key account.json --log rig.csv',
  ],
  run: async (asked) => (await import('./audit/run.js')).run(asked),
});
