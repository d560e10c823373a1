/** Where a passphrase comes from: never an argument or a variable, which others see and which stay. */

import { createReadStream, type ReadStream as FileStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { SignerError } from './signer.js';

const LONGEST = 1024;

/** All of a descriptor that somebody else opened, up to its end, without one line end. Closes it. */
export async function passphraseFromDescriptor(fd: number): Promise<Buffer> {
  if (!Number.isSafeInteger(fd) || fd < 0)
    throw new SignerError('bad-passphrase', 'a file descriptor is a whole number from 0 on');
  const what = `file descriptor ${fd}`;
  return bounded(createReadStream('', { fd }), what, `: open it, as ${fd}< FILE behind the command does`);
}

/** @param folder `$CREDENTIALS_DIRECTORY`, where systemd puts what `LoadCredential=` names. */
export async function passphraseFromCredential(folder: string | undefined, name: string): Promise<Buffer> {
  if (folder === undefined || folder === '')
    throw new SignerError(
      'bad-passphrase',
      'there is no $CREDENTIALS_DIRECTORY: systemd sets it for a service with LoadCredential=',
    );
  if (!/^[0-9A-Za-z_][0-9A-Za-z._-]{0,254}$/.test(name))
    throw new SignerError('bad-passphrase', 'a credential has a name of letters, digits, dots and hyphens');
  const file = await open(join(folder, name), 'r').catch((error: NodeJS.ErrnoException) => {
    throw new SignerError('bad-passphrase', `the credential ${name} cannot be read: ${error.message}`);
  });
  return bounded(file.createReadStream(), `the credential ${name}`);
}

/** Each chunk is wiped when it is copied. */
async function bounded(stream: FileStream, what: string, advice = ''): Promise<Buffer> {
  const all = Buffer.alloc(LONGEST + 2);
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (length + chunk.length > all.length) throw tooLong(what);
      length += chunk.copy(all, length);
      chunk.fill(0);
    }
  } catch (error) {
    all.fill(0);
    if (error instanceof SignerError) throw error;
    throw new SignerError('bad-passphrase', `${what} cannot be read (${(error as Error).message})${advice}`);
  }
  return withoutLineEnd(all, length, what);
}

const tooLong = (what: string): SignerError =>
  new SignerError('bad-passphrase', `${what} has more than ${LONGEST} bytes: that is no passphrase`);

function withoutLineEnd(all: Buffer, length: number, what: string): Buffer {
  let end = length;
  if (all[end - 1] === 0x0a) end--;
  if (all[end - 1] === 0x0d) end--;
  const passphrase = Buffer.from(all.subarray(0, end));
  all.fill(0);
  if (end > LONGEST) throw tooLong(what);
  if (end === 0) throw new SignerError('bad-passphrase', `${what} is empty`);
  return passphrase;
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE, LINE_FEED, RETURN] = [3, 4, 8, 127, 10, 13];

/** Asks on a terminal, which shows nothing of what is typed. */
export function promptPassphrase(input: ReadStream, output: WriteStream, question: string): Promise<Buffer> {
  if (!input.isTTY)
    return Promise.reject(
      new SignerError(
        'needs-passphrase',
        'there is no terminal to ask for the passphrase: say where else it comes from: fd:3 (with 3< FILE behind the command) or credential:NAME',
      ),
    );
  output.write(question);
  input.setRawMode(true);
  return new Promise((resolve, reject) => {
    const typed = Buffer.alloc(LONGEST);
    let [length, hasEnded] = [0, false];
    const end = (error?: SignerError): void => {
      hasEnded = true;
      input.off('data', hear);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      const passphrase = Buffer.from(typed.subarray(0, length));
      typed.fill(0);
      if (error) passphrase.fill(0);
      if (error) reject(error);
      else resolve(passphrase);
    };
    const hear = (chunk: Buffer): void => {
      for (const byte of chunk) {
        if (byte === CTRL_C || byte === CTRL_D)
          end(new SignerError('needs-passphrase', 'no passphrase was given'));
        else if (byte === RETURN || byte === LINE_FEED) end();
        else if (byte === BACKSPACE || byte === DELETE) length = beforeLast(typed, length);
        else if (length < LONGEST) typed[length++] = byte;
        else end(tooLong('what was typed'));
        if (hasEnded) break;
      }
      chunk.fill(0);
    };
    input.on('data', hear);
    input.resume();
  });
}

/** Where the last character begins: one of UTF-8 has up to four bytes. */
function beforeLast(typed: Buffer, length: number): number {
  let at = length - 1;
  while (at > 0 && ((typed[at] ?? 0) & 0xc0) === 0x80) at--;
  return Math.max(at, 0);
}
