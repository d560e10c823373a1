/** Remembers what was read last, since a command is looked at when it comes, when a block is made of it and when that block comes. */
import { keyOfTransaction } from '../../chain/request-key.js';
import { parseJson } from './codec.js';
import { type Command, readCommand, readEnvelope } from './command.js';
import { brokenSignature } from './signatures.js';

/** A transaction that is no command has a key all the same: it can be in a block, and does nothing. */
export type Transaction =
  | { readonly kind: 'command'; readonly key: string; readonly text: string; readonly command: Command }
  | { readonly kind: 'inert'; readonly key: string; readonly text: string };

/** Characters of all the texts that are remembered. */
const MOST_TEXT = 8 * 1024 * 1024;

export class Commands {
  /** By text, the newest last. */
  readonly #read = new Map<string, Transaction>();
  readonly #brokenSignatures = new WeakMap<Command, { readonly reason: string | undefined }>();
  #characters = 0;

  /** `undefined` for no JSON object with a `cmd` text whose `hash`, if given, is its hash. */
  read(text: string): Transaction | undefined {
    const known = this.#read.get(text);
    if (known) return known;
    const read = readTransaction(text);
    if (read) this.#remember(text, read);
    return read;
  }

  #remember(text: string, read: Transaction): void {
    this.#read.set(text, read);
    this.#characters += text.length;
    for (const oldest of this.#read.keys()) {
      if (this.#characters <= MOST_TEXT) break;
      this.#read.delete(oldest);
      this.#characters -= oldest.length;
    }
  }

  /** What is wrong with the signatures of a command. */
  brokenSignature(command: Command): string | undefined {
    const known = this.#brokenSignatures.get(command) ?? { reason: brokenSignature(command) };
    this.#brokenSignatures.set(command, known);
    return known.reason;
  }
}

function readTransaction(text: string): Transaction | undefined {
  const key = keyOfTransaction(text);
  if (key === undefined) return undefined;
  try {
    const command = readCommand(readEnvelope(parseJson(text)));
    return { kind: 'command', key, text: command.text, command };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'inert', key, text };
    throw error;
  }
}
