#!/usr/bin/env node
/**
 * A signer: reads one quicksign question from standard input, answers on standard output, and ends.
 *
 *     signer.js --key /var/lib/payouts/payouts.key --network mainnet01 --line 50 --day 1000
 *
 * It signs one transfer of its own account at a time, scoped to it and its gas, within its own limits, and nothing else. What it
 * signed it writes down beside its key first, and it does not sign another command for a payment unless the former is dead.
 * Limits are here and not in the bridge's file, so that who can change that file cannot change these.
 */
import { parseArgs } from 'node:util';
import { parseAmount } from '../dist/src/core/money/amount.js';
import { openFileSigner } from '../dist/src/payouts/signer/file-signer.js';
import { keyFacts } from '../dist/src/payouts/signer/key-file.js';
import { passphraseFromCredential, passphraseFromDescriptor } from '../dist/src/payouts/signer/passphrase.js';
import { answerQuicksign, LONGEST_QUESTION } from '../dist/src/payouts/signer/reference.js';

const OPTIONS = {
  /** The key file; its log stands beside it. */
  key: { type: 'string' },
  /** `mainnet01`, `development`. */
  network: { type: 'string' },
  /** Coins of one transfer, at most. */
  line: { type: 'string' },
  /** Coins in 24 hours, at most. */
  day: { type: 'string' },
  /** Coins that the gas of one transfer may cost. */
  gas: { type: 'string', default: '0.01' },
  /** The account that pays, where it is not that of the key alone. */
  account: { type: 'string' },
  /** Where the passphrase comes from, if there is one. */
  'passphrase-fd': { type: 'string' },
  'passphrase-credential': { type: 'string' },
  help: { type: 'boolean', default: false },
};

const HELP = `signer.js --key FILE --network NAME --line AMOUNT --day AMOUNT [--gas AMOUNT] [--account NAME]
          [--passphrase-fd N | --passphrase-credential NAME] < QUESTION > ANSWER

Signs what a question of quicksign (KIP-0017) asks.
All of it is told in config/README.md, under "A key and its signer".
`;

async function main() {
  const { values } = parseArgs({ options: OPTIONS, strict: true });
  if (values.help) return void process.stdout.write(HELP);
  const keyFile = needed(values, 'key');
  const { account } = await keyFacts(keyFile);
  const signer = await openFileSigner({
    keyFile,
    passphrase: passphraseFrom(values),
    account: values.account ?? account,
    networkId: needed(values, 'network'),
    line: amountOf(values, 'line'),
    day: amountOf(values, 'day'),
    gas: amountOf(values, 'gas'),
    nowMs: Date.now,
  });
  try {
    process.stdout.write(await answerQuicksign(await question(), signer));
  } finally {
    await signer.close();
  }
}

function needed(values, name) {
  if (values[name] !== undefined) return values[name];
  throw new Error(`--${name} is needed`);
}

function amountOf(values, name) {
  const amount = parseAmount(needed(values, name));
  if (amount !== undefined && amount > 0n) return amount;
  throw new Error(`--${name} is an amount of coins above zero, as 50 or 0.5`);
}

function passphraseFrom(values) {
  const { 'passphrase-fd': fd, 'passphrase-credential': name } = values;
  if (fd !== undefined) return () => passphraseFromDescriptor(Number(fd));
  const folder = process.env.CREDENTIALS_DIRECTORY;
  return name === undefined ? undefined : () => passphraseFromCredential(folder, name);
}

async function question() {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > LONGEST_QUESTION) break;
  }
  return text;
}

await main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
