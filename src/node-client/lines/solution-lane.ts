/**
 * The way of solutions to a node: connections of their own, open before a solution is found.
 *
 * A solution that waited behind another request, or for TCP and TLS to connect, could come too late. So a few
 * connections carry nothing else but a cheap request now and then, which keeps them open: a few, so that a solution
 * finds a free one also while others are being kept open or carry other chains' solutions.
 */
import type { HttpAnswer, HttpRequest } from '../asking/http.js';
import { isReceipt, isRefusal, type Posted, untilTaken } from './repeated-post.js';
import type { WarmLineParts } from './warm-line.js';
import { WarmLines } from './warm-lines.js';

/**
 * At the pace of the largest network a solution finds all of them at work less than once in a hundred times, even where an
 * answer takes most of a second. Over the pool it would wait for several rounds of the event loop.
 */
const CONNECTIONS = 4;

export class SolutionLane {
  readonly #parts: WarmLineParts;
  readonly #lines: WarmLines;
  /** Something before the node answered in its place. */
  #isDoubted = false;

  constructor(parts: WarmLineParts) {
    this.#parts = parts;
    this.#lines = new WarmLines(parts, CONNECTIONS);
  }

  /** Opens the connections; again it does nothing. */
  start(): void {
    this.#lines.start();
  }

  /**
   * Over a free open connection; where there is none, over the pool, which may have to connect. Without an answer it is posted
   * again over a new one: the first may have died without a word. So is the next after an answer that is not the node's own.
   */
  async post(asked: HttpRequest, signal?: AbortSignal): Promise<Posted> {
    this.start();
    const { http } = this.#parts;
    const fresh = (): Promise<HttpAnswer> => http.askFresh(asked, signal);
    const first = this.#isDoubted ? fresh() : http.ask(asked, { signal, via: this.#lines.free });
    const posted = await untilTaken(first, fresh);
    this.#isDoubted = !isReceipt(posted.answer) && !isRefusal(posted.answer);
    return posted;
  }

  close(): void {
    this.#lines.close();
  }
}
