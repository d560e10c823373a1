/** A bridge that is replaced by another start of its command while it runs; see `cli/service/succession.ts`. */
import type { Replaced, Replacing } from '../../bridge/orders/replacing.js';
import type { Handover } from '../../cli/service/host.js';
import { type OwnSocket, startSuccessor } from '../../cli/service/succession.js';
import type { Log } from '../../core/names/log.js';

export interface ReplacementParts {
  /** Those that the next one goes on with. */
  sockets(): readonly OwnSocket[];
  readonly log: Log;
}

export interface Replacement extends Replacing {
  /** Resolves when the next one is prepared. */
  readonly succeeded: Promise<Handover>;
}

export function openReplacement({ sockets, log }: ReplacementParts): Replacement {
  let isUnderWay = false;
  let handOver: (handover: Handover) => void = () => undefined;
  const succeeded = new Promise<Handover>((resolve) => {
    handOver = resolve;
  });
  const replace = async (by: string): Promise<Replaced> => {
    if (isUnderWay) return { refused: 'a replacement is under way already' };
    isUnderWay = true;
    log.info({ event: 'replacing', by }, 'another start is prepared in the place of this one');
    try {
      const successor = await startSuccessor(sockets());
      const { pid } = successor;
      // Who has asked is answered before the web closes.
      setTimeout(() => handOver({ reason: `process ${pid} takes its place`, successor }), ANSWER_MS);
      return { pid };
    } catch (error) {
      isUnderWay = false;
      const { message } = error as Error;
      log.error({ event: 'replacing', state: 'failed', error: message }, `this start goes on: ${message}`);
      return { refused: message };
    }
  };
  return { succeeded, replace };
}

const ANSWER_MS = 100;
