/** What an error of a node means for an operator, in words that say what to do. */
import { type NodeError, rootMessage } from '../chain/errors.js';
import type { Fault } from './node-state.js';

type Explanation = Pick<Fault, 'state' | 'reason'>;

export const GIVES_WORK = 'gives work';

export const CACHED =
  'gives work, but the same again seconds later: a proxy in between keeps answers; reach the node without it';

export const NO_STREAMS =
  'gives work, but has too many update streams to give one for each chain (503): fewer chains (work.chains), or raise its limit of streams';

export function explain(error: NodeError): Explanation {
  const { status } = error.details;
  // Elsewhere, as at /info, a status says nothing of mining.
  const isOfMining = error.endpoint?.includes('/mining/') ?? false;
  if (status !== undefined && isOfMining) return explainStatus(status, error.details.text ?? '', error);
  if (status !== undefined) return { state: 'away', reason: `${error.message}: ${error.advice}` };
  if (error.code === 'timeout') {
    return {
      state: 'stalled',
      reason: `${error.message}: it may be catching up, or have no chain that can be mined`,
    };
  }
  if (error.code === 'tls') return { state: 'away', reason: `TLS: ${rootMessage(error)}: ${error.advice}` };
  const reason = error.code === 'unreachable' ? `${rootMessage(error)}: ${error.advice}` : error.message;
  return { state: 'away', reason };
}

/** A fault of ours, not of the node; asking again may still do. */
export function explainFault(error: unknown): Explanation {
  const reason = `an unexpected error: ${rootMessage(error)}: the log has more, please report it`;
  return { state: 'away', reason };
}

/** By status of an answer about mining: what the node is then, and what is the matter. What to do stands in the table of endpoints. */
const BY_STATUS: Readonly<Record<number, Explanation>> = {
  400: { state: 'away', reason: 'the node did not understand GET /mining/work' },
  403: { state: 'unauthorized', reason: 'the account is not authorised' },
  404: { state: 'disabled', reason: 'mining is disabled' },
  415: { state: 'away', reason: 'the node did not understand GET /mining/work' },
  503: { state: 'away', reason: 'the node is overloaded' },
};

function explainStatus(status: number, text: string, error: NodeError): Explanation {
  const known = BY_STATUS[status];
  if (!known) return { state: 'away', reason: error.message };
  const said = text === '' ? String(status) : text;
  return { ...known, reason: `${known.reason} (${said}): ${error.advice}` };
}
