/** The three questions about commands that a node answers below `/chain/{chain}/pact/api/v1`. What it says is no evidence. */
import { NodeError } from '../../chain/errors.js';
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import { type HttpAnswer, NodeHttp } from '../../node-client/http.js';

const MOST_BYTES = 4 * 1024 * 1024;

/** One POST of JSON; any status is an answer. Throws NodeError where none comes. */
export type AskPact = (
  client: NodeClient,
  chainId: number,
  path: string,
  json: unknown,
  policy: CallPolicy,
) => Promise<{ readonly status: number; readonly text: string }>;

export function pactAsker(): AskPact {
  const http = new NodeHttp({});
  return async (client, chainId, path, json, { timeoutMs = 10_000, signal }) => {
    const url = `${client.address.baseUrl}/chain/${chainId}/pact/api/v1/${path}`;
    const { status, body }: HttpAnswer = await http.ask({
      ...{ method: 'POST', url, headers: { 'content-type': 'application/json' } },
      ...{ body: JSON.stringify(json), timeoutMs, maxBytes: MOST_BYTES, signal },
    });
    return { status, text: body.toString('utf8') };
  };
}

export function noAnswer(error: unknown): string {
  if (!(error instanceof NodeError) || error.code === 'aborted') throw error;
  return error.message;
}
