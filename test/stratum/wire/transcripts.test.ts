/** Sessions recorded at pools, replayed: every message is understood, and ours have the shape of theirs. */
import { describe, expect, it } from 'vitest';
import { verdictOn } from '../../../src/bridge/judge.js';
import { fromHex } from '../../../src/core/bytes/bytes.js';
import { nonce2FromNumber } from '../../../src/core/jobs/nonce.js';
import { decodeHeader, headerFromBytes, withNonce } from '../../../src/core/work/header.js';
import { decodeWork, encodeWork, type Work } from '../../../src/core/work/work.js';
import type { JsonValue } from '../../../src/wire/json.js';
import {
  parseRigMessage,
  parseServerMessage,
  parseSubscribeResult,
} from '../../../src/wire/message-parser.js';
import type { WireTransport } from '../../helpers/rigs/wire-rig.js';
import { readVectors, vectorsArePresent } from '../../helpers/runner/vectors.js';
import { startTestBridge } from '../../helpers/stories/stratum-bridge.js';

interface Transcripts {
  sessions: { endpoint: string; messages: { dir: 'client' | 'server'; raw: string; message: JsonValue }[] }[];
}
interface HeaderVectors {
  nonceExample: { header286: string; powHashHexBE: string };
  headers: { hex286: string; fields: { nonce: string } }[];
}

const sessions = vectorsArePresent ? readVectors<Transcripts>('stratum-transcripts').sessions : [];

/** The shape of a value: types in place of what they hold; texts by length when they are hex. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, key === 'method' ? item : shapeOf(item)]),
    );
  }
  if (typeof value === 'string' && /^[0-9a-f]{4}$|^[0-9a-f]{64,}$/.test(value))
    return `hex of ${value.length}`;
  return typeof value === 'number' || value === null ? value : typeof value;
}

describe('recorded sessions (users-ask 22)', { tags: ['vectors'] }, () => {
  it('are understood from both ends', () => {
    for (const { messages } of sessions) {
      for (const { dir, raw } of messages) {
        const message = dir === 'client' ? parseRigMessage(raw) : parseServerMessage(raw);
        expect(['malformed', 'unknown']).not.toContain(message.kind);
        if (message.kind === 'response' && Array.isArray(message.result) && message.result.length === 3) {
          expect(parseSubscribeResult(message.result)).toMatchObject({ nonce2Bytes: 6 });
        }
      }
    }
    expect(sessions).toHaveLength(3);
  });

  it.each<WireTransport>(['tcp', 'ws'])('go here as they went there, over %s', async (transport) => {
    for (const { endpoint, messages } of sessions) {
      await using bridge = await startTestBridge();
      bridge.offer({ difficulty: 1n << 100n });
      const rig = await bridge.connect(transport);
      for (const { dir, raw } of messages) if (dir === 'client') rig.send(raw);
      await rig.until((message) => message.method === 'mining.notify');
      const ours = rig.lines.map((line) => shapeOf(JSON.parse(line)));
      const shapes = new Set(ours.map((shape) => JSON.stringify(shape)));
      // f2pool's form is the fullest; the others leave parts out, and theirs are known to work with the same rigs.
      const reference = sessions.find((session) => session.endpoint.includes('f2pool'));
      const wanted = (reference?.messages ?? [])
        .filter(({ dir }) => dir === 'server')
        .map(({ message }) => JSON.stringify(shapeOf(message)).replace('"hex of 12"', '"string"'));
      for (const shape of wanted) expect(shapes, endpoint).toContain(shape);
      const methods = rig.lines.map((line) => JSON.parse(line).method ?? 'response');
      expect(methods).toEqual(['response', 'response', 'mining.set_target', 'mining.notify']);
    }
  });
});

/** What a node would have handed out for this header, before anyone mined it. */
function workOf(hex286: string): Work {
  const header = withNonce(headerFromBytes(fromHex(hex286) ?? new Uint8Array()), 0n);
  const { chainId, target } = decodeHeader(header);
  return decodeWork(encodeWork({ chainId, blockTarget: target, header }));
}

describe('real headers over the wire', { tags: ['vectors'] }, () => {
  const vectors = vectorsArePresent ? readVectors<HeaderVectors>('headers') : undefined;

  it('hash as the worked nonce example says', async () => {
    const example = vectors?.nonceExample ?? expect.fail();
    await using bridge = await startTestBridge({ shareDifficulty: 1n << 60n });
    for (let i = 0; i < 0x0123; i++) bridge.nonceSpace.lease(0);
    const { rig, nonce1 } = await bridge.readyRig('tcp');
    expect(nonce1).toBe(0x0123);
    const job = bridge.offerWork(workOf(example.header286));
    const { error } = await rig.request(3, 'mining.submit', ['a.r', job.id, '456789abcdef']);
    expect(error?.[0]).toBe(23);
    expect(error?.[1]).toContain(`hash ${example.powHashHexBE} is above`);
  });

  it('are solutions with the nonce that solved them, and with no other', async () => {
    await using bridge = await startTestBridge({ shareDifficulty: 'block' });
    const mined = (vectors?.headers ?? []).filter(({ fields }) => fields.nonce !== '0').slice(0, 100);
    expect(mined).toHaveLength(100);
    for (const { hex286, fields } of mined) {
      const nonce = BigInt(fields.nonce);
      const job = bridge.offerWork(workOf(hex286));
      const judge = async (nonce: bigint) =>
        await verdictOn(bridge.judge, {
          jobId: job.id,
          nonce1: Number(nonce & 0xffffn) as never,
          nonce2: nonce2FromNumber(Number(nonce >> 16n)),
          account: 'a',
          rig: 'r',
          shareTargetOf: () => job.blockTarget,
        });
      expect(await judge(nonce)).toMatchObject({ accepted: true, solution: { nonce } });
      expect(await judge(nonce ^ 1n)).toMatchObject({ accepted: false, reason: 'lowDifficulty' });
    }
    expect(bridge.solutions).toHaveLength(100);
  });
});
