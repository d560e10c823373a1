/** What a bridge may say to what was sent: each request has one answer, with its own id, and nothing else is said but what the dialect has. */
import { ERROR_CODES } from '../../../src/wire/errors.js';
import { parseServerMessage } from '../../../src/wire/message-parser.js';

const CODES: ReadonlySet<unknown> = new Set(Object.values(ERROR_CODES));
const NOTICES: ReadonlySet<unknown> = new Set([
  ...['mining.notify', 'mining.set_target', 'mining.set_extranonce'],
  ...['client.get_version', 'client.reconnect', 'client.show_message'],
]);
/** As deep as the bridge takes JSON. */
const LEVELS = 64;
const UNKNOWN = 'null';

type Fields = Readonly<Record<string, unknown>>;

export class Answers {
  readonly faults: string[] = [];
  /** Answers so far, to whatever. */
  count = 0;
  /** Requests by their ids, as far as they have no answer. */
  readonly #open = new Map<string, number>();
  #sent = 0;

  /** Requests that were sent whole. */
  get sent(): number {
    return this.#sent;
  }

  /** A line without its end, or one of a frame. */
  asked(line: string): void {
    const id = line === '' ? undefined : idOfRequest(line);
    if (id === undefined) return;
    this.#sent++;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
  }

  /** Ids that no answer has come for. */
  get missing(): string[] {
    return [...this.#open]
      .filter(([, count]) => count > 0)
      .map(([id, count]) => `${id.slice(0, 60)} x ${count}`);
  }

  /**
   * @param isExact all that was sent is known, so that each answer is to one of those.
   * @returns the message, where it is one.
   */
  came(text: string, isExact: boolean): Fields | undefined {
    const message = readObject(text);
    const fault = message
      ? message['method'] === undefined
        ? this.#answerFault(message, isExact)
        : noticeFault(message, text)
      : 'no object';
    if (fault !== undefined) this.faults.push(`${fault}: ${text.slice(0, 300)}`);
    return message;
  }

  #answerFault(message: Fields, isExact: boolean): string | undefined {
    this.count++;
    if (Object.keys(message).join() !== 'id,result,error') return 'an answer has id, result and error';
    const { error, result } = message;
    const isRight =
      error === null ? result !== undefined : isErrorOfOurs(error) && (result === false || result === null);
    if (!isRight) return 'an error has code, text and null';
    return isExact ? this.#take(message['id']) : undefined;
  }

  #take(id: unknown): string | undefined {
    for (const key of [JSON.stringify(id), UNKNOWN]) {
      const open = this.#open.get(key) ?? 0;
      if (open === 0) continue;
      this.#open.set(key, open - 1);
      return undefined;
    }
    return 'an answer to nothing that was asked';
  }
}

function isErrorOfOurs(error: unknown): boolean {
  if (!Array.isArray(error) || error.length !== 3) return false;
  const [code, text, rest] = error as unknown[];
  return CODES.has(code) && typeof text === 'string' && text !== '' && rest === null;
}

function noticeFault({ method }: Fields, text: string): string | undefined {
  if (!NOTICES.has(method)) return 'a notice that the dialect does not have';
  const { kind } = parseServerMessage(text);
  return kind === 'malformed' || kind === 'unknown' ? 'a notice that no rig can read' : undefined;
}

/** `undefined` for what wants no answer. */
function idOfRequest(line: string): string | undefined {
  const message = readObject(line);
  if (!message || isDeeper(message, LEVELS)) return UNKNOWN;
  const { id = null, method = null } = message;
  if (method === null && ('result' in message || 'error' in message)) return undefined;
  // Such a number may come back in any spelling.
  return JSON.stringify(id);
}

function readObject(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
