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

function explainStatus(status: number, text: string, error: NodeError): Explanation {
  const said = text === '' ? String(status) : text;
  switch (status) {
    case 404:
      return {
        state: 'disabled',
        reason: 'mining is disabled (404): enable mining coordination in the node',
      };
    case 403: {
      const advice = 'add the account with these keys and predicate to the miners in the node configuration';
      return { state: 'unauthorized', reason: `the account is not authorised (${said}): ${advice}` };
    }
    case 400:
    case 415: {
      const advice =
        'a proxy in between may strip the body or type of GET requests; reach the node without it';
      return {
        state: 'away',
        reason: `the node did not understand GET /mining/work (${status}: ${said}): ${advice}`,
      };
    }
    case 503:
      return {
        state: 'away',
        reason: `the node is overloaded (${said}): fewer chains (work.chains), or raise its mining limits`,
      };
    default:
      return { state: 'away', reason: error.message };
  }
}
