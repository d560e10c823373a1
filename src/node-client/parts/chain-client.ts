/** One chain as a node knows it: hashes, headers, blocks and payloads (`node-interface.md`, 4.1 to 4.4). */
import { setImmediate as breath } from 'node:timers/promises';
import type { z } from 'zod';
import { decodeEncodedHeader, decodeHeaderText, type EncodedHeader } from '../../chain/encoded-header.js';
import { BYTES_TYPE, type Endpoint, JSON_TYPE, OBJECT_TYPE, type Values } from '../../chain/endpoint.js';
import { ENDPOINTS } from '../../chain/endpoints.js';
import type { Block, HeaderObject, Payload, PayloadWithOutputs } from '../../chain/models.js';
import { saysNothing } from '../../chain/paging.js';
import { ForgedError, type Verifier } from '../../chain/verify.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';
import { BLOCKS, ENCODED_HEADERS, HASHES, HEADERS, type Kind, Listing } from './listing.js';
import { MempoolClient } from './mempool-client.js';
import { PactClient } from './pact-client.js';
import { TransferClient } from './transfer-client.js';

/** Names a payload; a header has both. */
export interface PayloadKey {
  readonly hash: string;
  readonly height: number;
}

/** Every method throws NodeError, and RangeError for what cannot be asked. */
export class ChainClient {
  readonly chainId: number;
  readonly hashes: Listing<string>;
  /** As objects. */
  readonly headers: Listing<HeaderObject>;
  /** As the bytes that are hashed. */
  readonly encodedHeaders: Listing<EncodedHeader>;
  /** Headers with payloads and outputs. */
  readonly blocks: Listing<Block>;
  readonly mempool: MempoolClient;
  /** Its commands: coins are moved and read with them. */
  readonly pact: PactClient;
  /** Coins moved from one account to another. */
  readonly transfers: TransferClient;
  readonly #caller: Caller;
  readonly #verifier: Verifier | false;

  /** @param chainId 0 to 19, checked by whoever made this. @param verifier `false`: whatever comes is believed. */
  constructor(caller: Caller, chainId: number, verifier: Verifier | false) {
    this.chainId = chainId;
    this.#caller = caller;
    this.#verifier = verifier;
    const listing = <T>(kind: Kind<T>): Listing<T> => new Listing(caller, verifier, chainId, kind);
    this.hashes = listing(HASHES);
    this.headers = listing(HEADERS);
    this.encodedHeaders = listing(ENCODED_HEADERS);
    this.blocks = listing(BLOCKS);
    this.mempool = new MempoolClient(caller, chainId);
    this.pact = new PactClient(caller, chainId);
    this.transfers = new TransferClient(caller, this);
  }

  /** `GET /chain/{chain}/header/{blockHash}`, as object. */
  async header(hash: string, policy?: CallPolicy): Promise<HeaderObject> {
    const call = this.#call(ENDPOINTS.header, { blockHash: hash }, { accept: OBJECT_TYPE });
    const header = await this.#caller.json(call, policy);
    await this.#check(call, async (verifier) => {
      checkAnswered(hash, header.hash);
      await verifier.header(header, this.chainId);
    });
    return header;
  }

  /**
   * `GET /chain/{chain}/header/{blockHash}`, as the bytes that are hashed.
   *
   * @param as how the node is asked to send them: 318 bytes, or the same as Base64Url.
   */
  async encodedHeader(
    hash: string,
    as: 'bytes' | 'text' = 'bytes',
    policy?: CallPolicy,
  ): Promise<EncodedHeader> {
    const accept = as === 'bytes' ? BYTES_TYPE : JSON_TYPE;
    const call = this.#call(ENDPOINTS.header, { blockHash: hash }, { accept });
    const { body } = await this.#caller.answer(call, policy);
    const header = this.#caller.decoded(call, () => {
      if (as === 'bytes') return decodeEncodedHeader(body);
      return decodeHeaderText(String(JSON.parse(body.toString('utf8'))));
    });
    await this.#check(call, (verifier) => {
      checkAnswered(hash, toBase64Url(header.hash));
      verifier.encodedHeader(header, this.chainId);
    });
    return header;
  }

  /** `GET /chain/{chain}/payload/{payloadHash}`. @param height helps a node to find it. */
  async payload(hash: string, height?: number, policy?: CallPolicy): Promise<Payload> {
    const call = this.#call(ENDPOINTS.payload, { payloadHash: hash }, { query: { height } });
    const payload = await this.#caller.json(call, policy);
    await this.#check(call, (verifier) => verifier.payload(payload, new Set([hash])));
    return payload;
  }

  /** `GET /chain/{chain}/payload/{payloadHash}/outputs` */
  async payloadWithOutputs(hash: string, height?: number, policy?: CallPolicy): Promise<PayloadWithOutputs> {
    const call = this.#call(ENDPOINTS.payloadWithOutputs, { payloadHash: hash }, { query: { height } });
    const payload = await this.#caller.json(call, policy);
    await this.#check(call, (verifier) => verifier.payloadWithOutputs(payload, new Set([hash])));
    return payload;
  }

  /** `POST /chain/{chain}/payload/batch`: those of at most 1,000 that the node has, in any order. */
  payloads(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<Payload[]> {
    return this.#batch(ENDPOINTS.payloads, wanted, policy, (verifier, payload, asked) =>
      verifier.payload(payload, asked),
    );
  }

  /** `POST /chain/{chain}/payload/outputs/batch`: those of at most 1,000 that the node has, in any order. */
  payloadsWithOutputs(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<PayloadWithOutputs[]> {
    return this.#batch(ENDPOINTS.payloadsWithOutputs, wanted, policy, (verifier, payload, asked) =>
      verifier.payloadWithOutputs(payload, asked),
    );
  }

  #call<M extends z.ZodType>(
    to: Endpoint<M>,
    path: Values = {},
    rest: Omit<Call, 'to' | 'path'> = {},
  ): Call<M> {
    return { to, path: { chain: this.chainId, ...path }, ...rest };
  }

  /** Heights go with the hashes, because real nodes pair them and ignore a hash without. */
  async #batch<T>(
    to: Endpoint<z.ZodType<T[]>>,
    wanted: readonly PayloadKey[],
    policy: CallPolicy | undefined,
    verify: (verifier: Verifier, payload: T, hashes: ReadonlySet<string>) => void,
  ): Promise<T[]> {
    const { service: most = Number.POSITIVE_INFINITY } = to.most ?? {};
    if (wanted.length > most)
      throw new RangeError(`a batch has at most ${most} payloads, not ${wanted.length}`);
    const [hashes, heights] = [wanted.map(({ hash }) => hash), wanted.map(({ height }) => height)];
    const call = this.#call(to, {}, { json: { hashes, heights } });
    try {
      const payloads = await this.#caller.json(call, policy);
      const asked = new Set(hashes);
      await this.#check(call, async (verifier) => {
        for (const payload of payloads) {
          verify(verifier, payload, asked);
          await breath();
        }
      });
      return payloads;
    } catch (error) {
      // The specification answers so when it has none of them, real nodes with an empty list.
      if (saysNothing(error)) return [];
      throw error;
    }
  }

  async #check(call: Call, check: (verifier: Verifier) => void | Promise<void>): Promise<void> {
    const verifier = this.#verifier;
    if (verifier) await this.#caller.checked(call, () => check(verifier));
  }
}

function checkAnswered(asked: string, answered: string): void {
  if (asked !== answered) throw new ForgedError(`it is block ${answered}, which was not asked for`);
}
