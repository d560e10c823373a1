/** Failures of starting that an operator can mend, as sentences; all others pass with their stack. */

import { CommandError } from '../cli/line/command.js';
import { told } from '../config/layers/given.js';
import type { Loaded } from '../config/layers/load.js';
import { keyOfPort } from '../config/ports.js';
import { BRIDGE_SETTINGS, type BridgeSettings } from '../config/settings.js';
import { FileError } from '../files/file-error.js';
import { LedgerError } from '../ledger/database/errors.js';
import { StratumListenError } from '../stratum/admission/listener.js';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port; stop it or choose another with the setting',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOSPC: 'the disk is full: free some space and start again',
  EROFS: 'the disk is read-only; choose another folder',
  ENOENT: 'is the path right?',
  ENOTDIR: 'a file stands where a folder should be; choose another path',
  EEXIST: 'a file stands where a folder should be; choose another path',
  EISDIR: 'it is a folder, and a file is needed',
  ECONNREFUSED: 'nobody answers there; does the database run, and is its URL right?',
  ECONNRESET: 'who answers there hangs up; is it the right port?',
  ETIMEDOUT: 'nothing answers in time; does it run, and does a firewall let this machine through?',
  EHOSTUNREACH: 'no way leads to this host; is its address right, and is it up?',
  ENETUNREACH: 'this machine has no way to that network; is the address right, and is the network up?',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name cannot be looked up now; does this machine reach its name server?',
  /** PostgreSQL's codes for a wrong password, and for a user or database that does not exist. */
  '28P01': 'the database refuses the password; check ledger.databaseUrl',
  '28000': 'the database refuses the user; check ledger.databaseUrl',
  '3D000': 'create the database, or name another in ledger.databaseUrl',
};

/** The same code means a port or a file. */
const FORBIDDEN = {
  port: 'no permission; ports below 1024 need more rights',
  file: 'no permission; give this user the right to it, or choose another path',
};
/** Of the database's driver, which gives no code for it. */
const SILENT_DATABASE = /connection timeout|timeout exceeded when trying to connect|timeout expired/i;

function adviceFor({ code = '', message, syscall = '' }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EACCES' || code === 'EPERM')
    return /listen|bind/.test(syscall) ? FORBIDDEN.port : FORBIDDEN.file;
  return SYSTEM_ERRORS[SILENT_DATABASE.test(message) ? 'ETIMEDOUT' : code];
}

/** A host of several addresses gives one error for each of them, and none in all. */
function firstOf(error: unknown): NodeJS.ErrnoException {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return (first ?? error) as NodeJS.ErrnoException;
}

/** Settings of the bridge, or some of them. */
type AnyLoaded = {
  readonly [part in 'config' | 'written' | 'sources']: Partial<Loaded<BridgeSettings>[part]>;
};

/** What could not be done with the value of a setting. */
class SettingFailure extends Error {
  override readonly name = 'SettingFailure';
  readonly code = 'setting';
  readonly key: keyof BridgeSettings;

  constructor(key: keyof BridgeSettings, cause: unknown) {
    super(`${key}: ${(cause as Error).message}`, { cause });
    this.key = key;
  }
}

/** Of the books, where it is their folder that cannot be used. */
const OF_FOLDER: readonly string[] = ['in-use', 'disk-full', 'no-permission', 'data-gone'];

export function isOfFolder(error: unknown): boolean {
  return error instanceof FileError || (error instanceof LedgerError && OF_FOLDER.includes(error.code));
}

/** Failures of `act` come from the value of this setting, and are told with it by {@link explained}. */
export async function concerning<T>(key: keyof BridgeSettings, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isOfIt = adviceFor(firstOf(error)) !== undefined || (key === 'dataDir' && isOfFolder(error));
    throw isOfIt ? new SettingFailure(key, error) : error;
  }
}

/** Names of errors whose messages say what to do: to load their rooms would take longer than most commands. */
const REMEDIED = [
  'LedgerError',
  'FileError',
  'CertificateError',
  'CpuModeError',
  'KernelError',
  'PoolUrlError',
  'SignerError',
  'OtherLedgerError',
];

/**
 * Rejects with a {@link CommandError} in place of a failure that has a remedy; with `loaded`, it names the setting, its value
 * unless that is secret, and who has set it.
 */
export async function explained<T>(start: () => Promise<T>, loaded?: AnyLoaded): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const sentence = sentenceOf(error, loaded);
    throw sentence === undefined ? error : new CommandError(sentence, { cause: error });
  }
}

function sentenceOf(error: unknown, loaded: AnyLoaded | undefined): string | undefined {
  if (error instanceof StratumListenError)
    return withSetting(keyOfPort(loaded?.config ?? {}, error.port), error.message, loaded);
  if (error instanceof Error && REMEDIED.includes(error.name)) return error.message;
  if (error instanceof SettingFailure && isOfFolder(error.cause))
    return withSetting(error.key, `cannot be used: ${(error.cause as Error).message}`, loaded);
  const first = firstOf(error instanceof SettingFailure ? error.cause : error);
  const advice = adviceFor(first);
  if (advice === undefined) return undefined;
  const sentence = `${first.message || first.code}: ${advice}`;
  return error instanceof SettingFailure ? withSetting(error.key, sentence, loaded) : sentence;
}

function withSetting(key: keyof BridgeSettings, sentence: string, loaded: AnyLoaded | undefined): string {
  if (!loaded) return sentence;
  return told(
    key,
    BRIDGE_SETTINGS[key],
    { value: loaded.written[key], source: loaded.sources[key] ?? 'default' },
    sentence,
  );
}
