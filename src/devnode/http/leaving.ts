/** When nobody waits for an answer any more. */
import type { FastifyReply } from 'fastify';

/**
 * Aborts when the client leaves or the node closes, and is forgotten with the answer. `AbortSignal.any` would be shorter,
 * but on Node.js 20 each one is kept for as long as the node's signal is.
 */
export function leavingSignal({ raw }: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  // An answer that stands behind another on its connection is not told that this has closed.
  const { socket } = raw.req;
  socket.setMaxListeners(0);
  const leave = (): void => {
    closing.removeEventListener('abort', leave);
    raw.off('close', leave);
    socket.off('close', leave);
    gone.abort();
  };
  if (closing.aborted) gone.abort();
  else {
    closing.addEventListener('abort', leave);
    raw.once('close', leave);
    socket.once('close', leave);
  }
  return gone.signal;
}
