/** A node with one scripted answer to everything but its information, and what its tests need. */
import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { type ClientOptions, NodeClient, NodeError } from '../../src/node-client/client.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';

export const INFO = JSON.stringify({ nodeVersion: 'development', nodeApiVersion: '0.0' });
export const BASE = '/chainweb/0.0/development';
export const HASH = 'A'.repeat(43);
export const CUT = JSON.stringify({ height: 1, weight: HASH, hashes: { 0: { height: 1, hash: HASH } } });

/** A node that gives its information at its root and one scripted answer to everything else. */
export async function withNode<T>(
  answer: Handler,
  use: (node: NodeClient, url: string) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  await using server = await serveHttp((request, response, body) => {
    if (request.url === '/info') return void response.end(INFO);
    answer(request, response, body);
  });
  const node = await NodeClient.connect({ nodes: server.url, ...options });
  try {
    return await use(node, server.url);
  } finally {
    await node.close();
  }
}

/** Pauses without time, written down. */
export function scriptedPauses() {
  const pausesMs: number[] = [];
  const pause = async (ms: number): Promise<void> => void pausesMs.push(ms);
  return { pausesMs, options: { pause, random: () => 0.5 } };
}

export async function failureOf(promise: Promise<unknown>): Promise<NodeError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NodeError);
  return error as NodeError;
}

/** Writes until the other side has had enough. */
export function flood(response: ServerResponse): void {
  const more = (): void => {
    if (!response.destroyed) response.write(Buffer.alloc(16_384, '['), () => setImmediate(more));
  };
  more();
}
