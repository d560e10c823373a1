/** A bridge that is replaced by another start of its command while it runs; see `cli/service/succession.ts`. */
import type { Handover } from '../../cli/service/host.js';
import { type OwnSocket, startSuccessor } from '../../cli/service/succession.js';
import type { Log } from '../../core/names/log.js';
import type { replace } from '../../operations/drain.js';
import type { Handler } from '../../operations/entry/operation.js';

interface ReplacementParts {
  /** Those that the next one goes on with. */
  sockets(): readonly OwnSocket[];
  readonly log: Log;
}

export interface Replacement {
  readonly replace: Handler<typeof replace>;
  /** Resolves when the next one is prepared. */
  readonly succeeded: Promise<Handover>;
}

export function openReplacement({ sockets, log }: ReplacementParts): Replacement {
  let isUnderWay = false;
  let handOver: (handover: Handover) => void = () => undefined;
  const succeeded = new Promise<Handover>((resolve) => {
    handOver = resolve;
  });
  const begin: Handler<typeof replace> = async (_, by) => {
    if (isUnderWay) return { refused: 'busy', why: 'a replacement is under way already' };
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
      return { refused: 'busy', why: message };
    }
  };
  return { succeeded, replace: begin };
}

const ANSWER_MS = 100;
