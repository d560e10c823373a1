/** `ledger payout key`: makes the key file that transfers are signed with, looks at it, and changes its passphrase. */
import { access, rm, stat } from 'node:fs/promises';
import { explained } from '../../../assembly/failures.js';
import { passphraseFrom } from '../../../assembly/payouts/signers.js';
import { type Asked, CommandError, type CommandIo, FAILED, OK } from '../../../cli/line/command.js';
import { userName } from '../../../cli/line/user.js';
import { ConfigError } from '../../../config/layers/config-error.js';
import { formatAmount } from '../../../core/money/amount.js';
import {
  type AskPassphrase,
  changePassphrase,
  checkKeyFile,
  type KeyFacts,
  keyFacts,
  newKeyFile,
} from '../../../payouts/signer/key-file.js';
import { SignerError } from '../../../payouts/signer/signer.js';
import { checkSignerLog, newSignerLog, signerLogOf } from '../../../payouts/signer/signer-log.js';

export function make(asked: Asked): Promise<number> {
  return explained(async () => {
    const file = fileGiven(asked);
    const log = signerLogOf(file);
    await refuseLeftLog(file, log);
    const passphrase = await askedTwice(textOf(asked, 'passphrase'), '--passphrase');
    const facts = await newKeyFile(file, passphrase);
    try {
      await newSignerLog(log, facts.publicKey, Date.now());
    } catch (error) {
      // It has signed nothing, and without its log it never could.
      await rm(file, { force: true });
      throw error;
    }
    show(asked, { ...factsOf(file, facts), log }, [
      ...(facts.hasPassphrase ? [] : [NO_PASSPHRASE]),
      `Copy ${file} to a place that is not this machine. ${log} says what it has signed: it moves together with the key, and never back to an older copy.`,
    ]);
    return OK;
  });
}

const NO_PASSPHRASE =
  'The file has no passphrase: whoever reads it can pay. `ledger payout key passwd` gives it one.';

/** A log without its key is that of a key that was lost, or is elsewhere. */
async function refuseLeftLog(file: string, log: string): Promise<void> {
  const isThere = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  if ((await isThere(log)) && !(await isThere(file)))
    throw new CommandError(
      `${log} is there already, without its key: it says what another key has signed. Name another file, or bring it to where its key is`,
    );
}

export function check(asked: Asked): Promise<number> {
  return explained(async () => {
    const file = fileGiven(asked);
    const facts = await checkKeyFile(file, passphraseOf(asked, await keyFacts(file)));
    const { mode } = await stat(file);
    const log = signerLogOf(file);
    const found = await logIn(log, facts);
    show(
      asked,
      {
        ...factsOf(file, facts),
        ...{ owner: userName(), mode: (mode & 0o777).toString(8).padStart(4, '0'), log, logIs: found.is },
        ...(found.is === 'whole' ? { payments: found.payments, lastDay: found.lastDay } : {}),
      },
      found.is === 'whole' ? [] : [found.why],
    );
    return found.is === 'whole' ? OK : FAILED;
  });
}

type LogFound =
  | { readonly is: 'whole'; readonly payments: number; readonly lastDay: string }
  | { readonly is: 'missing' | 'unusable'; readonly why: string };

const NO_LOG =
  'Without its log the key signs nothing: bring the log from where the key has signed last. If it was lost, make a new key and move the coins.';

async function logIn(path: string, { publicKey }: KeyFacts): Promise<LogFound> {
  try {
    const { payments, daySum } = await checkSignerLog(path, publicKey, Date.now());
    return { is: 'whole', payments, lastDay: formatAmount(daySum) };
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    const isMissing = error.code === 'no-file';
    return isMissing
      ? { is: 'missing', why: `${error.message}. ${NO_LOG}` }
      : { is: 'unusable', why: error.message };
  }
}

export function passwd(asked: Asked): Promise<number> {
  return explained(async () => {
    const file = fileGiven(asked);
    const former = passphraseOf(asked, await keyFacts(file));
    const opened = await former?.();
    const ask = opened && (async () => Buffer.from(opened));
    try {
      // Before anybody thinks of a new one.
      await checkKeyFile(file, ask);
      const where = textOf(asked, 'new-passphrase') || (process.stdin.isTTY ? 'prompt' : '');
      if (where === '')
        throw new ConfigError([
          'ledger payout key passwd: say where the new passphrase comes from: --new-passphrase fd:3, credential:NAME, prompt, or none',
        ]);
      const next = where === 'none' ? undefined : await askedTwice(where, '--new-passphrase');
      const facts = await changePassphrase(file, ask, next);
      const words = 'Copies of the file that were made before still open with the former passphrase.';
      show(asked, factsOf(file, facts), facts.hasPassphrase ? [words] : [NO_PASSPHRASE]);
    } finally {
      opened?.fill(0);
    }
    return OK;
  });
}

function textOf({ flags }: Asked, flag: string): string {
  const given = flags[flag];
  return typeof given === 'string' ? given : '';
}

function fileGiven(asked: Asked): string {
  const file = textOf(asked, 'file');
  if (file !== '') return file;
  throw new ConfigError(['ledger payout key: name the key file: --file payouts.key']);
}

/** Of a file that has one; asked for where somebody is there to answer. */
function passphraseOf(asked: Asked, { hasPassphrase }: KeyFacts): AskPassphrase | undefined {
  if (!hasPassphrase) return undefined;
  const where = textOf(asked, 'passphrase') || (process.stdin.isTTY ? 'prompt' : '');
  if (where === '')
    throw new ConfigError([
      'ledger payout key: the file has a passphrase, say where it comes from: --passphrase fd:3 or credential:NAME, or run it on a terminal',
    ]);
  return passphraseFrom(where, { setting: '--passphrase', question: 'passphrase: ' });
}

/** A new one, which nobody may mistype: at a terminal it is asked for once more. */
async function askedTwice(where: string, flag: string): Promise<Buffer | undefined> {
  const first = await passphraseFrom(where, { setting: flag, question: 'new passphrase: ' })?.();
  if (!first || where !== 'prompt') return first;
  const again = await passphraseFrom(where, { setting: flag, question: 'the same again: ' })?.();
  const isSame = again?.equals(first) === true;
  again?.fill(0);
  if (isSame) return first;
  first.fill(0);
  throw new CommandError('the two passphrases differ: nothing was changed');
}

function factsOf(file: string, { account, publicKey, hasPassphrase }: KeyFacts) {
  return { account, publicKey, file, hasPassphrase };
}

const HEADINGS: Readonly<Record<string, string>> = {
  publicKey: 'public key',
  hasPassphrase: 'passphrase',
  logIs: 'log is',
  payments: 'payments signed',
  lastDay: 'signed in 24 h',
};

/** For people each fact is a line, and words follow; for programs it is one object. */
function show(asked: Asked, facts: Readonly<Record<string, unknown>>, words: readonly string[]): void {
  const { stdout, stderr }: CommandIo = asked.io;
  if (asked.flags['json'] === true || !stdout.isTTY) {
    stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
    for (const sentence of words) stderr.write(`stratum-bridge: ${sentence}\n`);
    return;
  }
  const names = Object.keys(facts).map((key) => HEADINGS[key] ?? key);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  for (const [i, value] of Object.values(facts).entries())
    stdout.write(`${(names[i] ?? '').padEnd(width)}${shown(value)}\n`);
  if (words.length > 0) stdout.write(`\n${words.join('\n')}\n`);
}

function shown(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'none') : String(value);
}
