/** What a tap let a client hear of its node, in order: works that were handed out, and cuts that streams told of. */
import { toBase64Url } from '../../../src/core/bytes/bytes.js';
import type { HeaderFields } from '../../../src/core/work/header.js';
import { decodeWork, WORK_BYTES, WorkFormatError } from '../../../src/core/work/work.js';

/** What time and nonce do not change. */
export function workKeyOf({ chainId, parent, adjacents, payloadHash }: HeaderFields): string {
  const hashes = [parent, ...adjacents.map(({ hash }) => hash), payloadHash];
  return `${chainId} ${hashes.map(toBase64Url).join(' ')}`;
}

export class AnswerLog {
  /** Keys of works, as they were handed out. */
  readonly works: string[] = [];
  /** When each `New Cut` was told, on the clock of `performance.now`. */
  readonly cutsAtMs: number[] = [];

  /** For one connection. */
  reader(): AnswerReader {
    return new AnswerReader(this);
  }
}

const HEAD = /HTTP\/1\.1 200 [\s\S]*?\r\n\r\n/;

export class AnswerReader {
  readonly #log: AnswerLog;
  /** Heard since the last request, as Latin-1 text, as far as it is not read yet. */
  #rest = '';

  constructor(log: AnswerLog) {
    this.#log = log;
  }

  asked(): void {
    this.#rest = '';
  }

  heard(text: string, path: string): void {
    if (path.includes('/mining/work')) this.#readWork(text);
    else if (path.endsWith('/mining/updates')) this.#readEvents(text);
  }

  #readWork(text: string): void {
    this.#rest += text;
    const head = HEAD.exec(this.#rest);
    const body = head ? this.#rest.slice(head.index + head[0].length) : '';
    if (body.length < WORK_BYTES) return;
    this.#rest = '';
    try {
      this.#log.works.push(workKeyOf(decodeWork(Buffer.from(body.slice(0, WORK_BYTES), 'latin1')).fields));
    } catch (error) {
      if (!(error instanceof WorkFormatError)) throw error; // a fault that a test made: no work
    }
  }

  #readEvents(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.includes('New Cut')) this.#log.cutsAtMs.push(performance.now());
  }
}
