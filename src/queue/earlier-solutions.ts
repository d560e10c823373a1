/**
 * Solutions that an earlier start found and did not see answered: a crash may have cut off their post, so they are posted again while their node
 * can still know the work.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type {
  SolutionAnswer,
  SolutionRecord,
  SolutionSink,
  SolutionState,
  SolutionWord,
} from '../bridge/ports.js';
import type { Log } from '../core/names/log.js';
import type { ShareQueue } from './share-queue.js';

interface EarlierSolutionsOptions {
  readonly shares: Pick<ShareQueue, 'earlierSolutions' | 'keepWord'>;
  readonly sink: SolutionSink;
  /** The time that solutions are written down with. */
  readonly nowMs: () => number;
  readonly log: Log;
  /** Told the last word of each that the log has, whether it had one already or not. */
  readonly onSettled: (solution: SolutionRecord, state: SolutionState, detail: string) => void;
  readonly signal: AbortSignal;
  readonly retryMs?: number;
}

const RETRY_MS = 2_000;
/** Nodes forget a work 330 s after they last handed it out. */
const WORK_LIFE_MS = 330_000;

type LastWord = Pick<SolutionWord, 'state' | 'detail'>;

export async function settleEarlierSolutions(options: EarlierSolutionsOptions): Promise<void> {
  const settle = async (word: SolutionWord): Promise<void> => {
    const { solution } = word;
    const last = word.state === 'found' ? await postAgain(solution, options) : word;
    if (!last) return;
    options.onSettled(solution, last.state, last.detail);
    if (word.state === 'found') await options.shares.keepWord(solution, last.state, last.detail);
  };
  await Promise.all(options.shares.earlierSolutions.map(settle));
}

/** A node that is not back yet is asked again; what is left at an end stays for the next start. */
async function postAgain(
  { node, header, foundAtMs }: SolutionRecord,
  { sink, nowMs, log, signal, retryMs = RETRY_MS }: EarlierSolutionsOptions,
): Promise<LastWord | undefined> {
  let word: LastWord = { state: 'lost', detail: 'the bridge ended before it was posted' };
  while (nowMs() - foundAtMs < WORK_LIFE_MS) {
    const answer = await sink.postSolution(node, header);
    word = lastWord(answer);
    if (answer.outcome !== 'unanswered') break;
    if (signal.aborted) return undefined;
    await pause(retryMs, undefined, { signal }).catch(() => {}); // ended, which the next turn sees
  }
  log.warn({ node, ...word }, 'a solution of an earlier run was settled');
  return word;
}

/** After a crash nobody knows whether the first post arrived: a node that forgot the work may have taken it. */
function lastWord(answer: SolutionAnswer): LastWord {
  if (answer.outcome === 'received') return { state: 'received', detail: '' };
  if (answer.outcome === 'unanswered') return { state: 'lost', detail: answer.error.message };
  const state = answer.status === 404 ? 'perhaps' : 'refused';
  return { state, detail: `${answer.status} ${answer.text}` };
}
