/**
 * The interface, written once: each endpoint with what it takes and gives, when it refuses and what to do then. The client asks by
 * this table, the development node serves by it, and the OpenAPI document is made of it.
 *
 *     ENDPOINTS.header   GET /chain/{chain}/header/{blockHash}   path: chain, hash   answer: one header in three encodings
 */

import type { Endpoint } from './endpoint.js';
import { CHAIN_ENDPOINTS } from './endpoints/chain.js';
import { NODE_ENDPOINTS } from './endpoints/node.js';

export const ENDPOINTS = { ...CHAIN_ENDPOINTS, ...NODE_ENDPOINTS } as const;

export type EndpointKey = keyof typeof ENDPOINTS;
export const ENDPOINT_KEYS = Object.keys(ENDPOINTS) as EndpointKey[];

/** The row of `GET /mining/work`, for example. */
export function endpointNamed(name: string): Endpoint | undefined {
  const all: readonly Endpoint[] = Object.values(ENDPOINTS);
  return all.find(({ method, path }) => `${method} ${path}` === name);
}
