import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Nonce1, nonce2FromNumber } from '../../src/core/jobs/nonce.js';
import { targetFromBytes } from '../../src/core/work/target.js';
import { codeOfRejection } from '../../src/wire/errors.js';
import { NO_ID, requestIdOf } from '../../src/wire/json.js';
import { parseRigMessage, parseServerMessage, parseSubscribeResult } from '../../src/wire/message-parser.js';
import {
  encodeNotice,
  encodeRequest,
  encodeResponse,
  type Notice,
  type Request,
  subscribeResult,
} from '../../src/wire/messages.js';

const id = fc
  .oneof(
    fc.integer(),
    fc.string(),
    fc.constant(null),
    fc.boolean(),
    fc.json().map((text) => JSON.parse(text)),
  )
  .map(requestIdOf);
const text = fc.string();
const someText = fc.string({ minLength: 1 });
const positive = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true });
const target = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(targetFromBytes);

const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  fc.record({ kind: fc.constant<'subscribe'>('subscribe'), id, agent: text }),
  fc.record({ kind: fc.constant<'subscribe'>('subscribe'), id, agent: text, resume: text }),
  fc.record({ kind: fc.constant<'authorize'>('authorize'), id, login: someText, password: text }),
  fc.record({
    kind: fc.constant<'submit'>('submit'),
    id,
    login: text,
    jobId: text,
    nonce2: fc.integer({ min: 0, max: 2 ** 48 - 1 }).map(nonce2FromNumber),
  }),
  fc.record({ kind: fc.constant<'extranonceSubscribe'>('extranonceSubscribe'), id }),
  fc.record({ kind: fc.constant<'configure'>('configure'), id, extensions: fc.array(text) }),
  fc.record({ kind: fc.constant<'suggestDifficulty'>('suggestDifficulty'), id, difficulty: positive }),
  fc.record({ kind: fc.constant<'suggestTarget'>('suggestTarget'), id, target }),
  fc.record({ kind: fc.constant<'ping'>('ping'), id }),
);

const layout = fc.integer({ min: 1, max: 8 }).chain((nonce2Bytes) =>
  fc.bigInt({ min: 0n, max: (1n << BigInt(8 * (8 - nonce2Bytes))) - 1n }).map((nonce1) => ({
    nonce2Bytes,
    nonce1Hex: nonce2Bytes === 8 ? '' : nonce1.toString(16).padStart(2 * (8 - nonce2Bytes), '0'),
  })),
);

const anyNotice: fc.Arbitrary<Notice> = fc.oneof(
  fc.record({ kind: fc.constant<'setTarget'>('setTarget'), target }),
  fc.record({
    kind: fc.constant<'notify'>('notify'),
    jobId: text,
    header: fc.uint8Array({ minLength: 286, maxLength: 286 }),
    clean: fc.boolean(),
  }),
  fc.record({ kind: fc.constant<'setDifficulty'>('setDifficulty'), difficulty: positive }),
  layout.map((l): Notice => ({ kind: 'setExtranonce', ...l })),
  fc.record({ kind: fc.constant<'getVersion'>('getVersion'), id }),
  fc.record({
    kind: fc.constant<'reconnect'>('reconnect'),
    host: text,
    port: fc.nat(65_535),
    waitSeconds: fc.nat(86_400),
  }),
  fc.record({ kind: fc.constant<'showMessage'>('showMessage'), text }),
);

describe('messages', () => {
  it('survive the wire', () => {
    fc.assert(
      fc.property(anyRequest, (x) => {
        expect(parseRigMessage(encodeRequest(x))).toEqual(x);
      }),
    );
    fc.assert(
      fc.property(anyNotice, (x) => {
        expect(parseServerMessage(encodeNotice(x))).toEqual(x);
      }),
    );
    const anyError = fc.record({ code: fc.integer(), message: fc.string() });
    fc.assert(
      fc.property(id, fc.jsonValue(), fc.option(anyError, { nil: undefined }), (id, value, error) => {
        const result = JSON.parse(JSON.stringify(value));
        const response = { id, result, ...(error ? { error } : {}) };
        expect(parseServerMessage(encodeResponse(response))).toEqual({ kind: 'response', ...response });
      }),
    );
  });

  it('never throw, whatever a line holds', () => {
    const methods = fc.constantFrom(
      'mining.subscribe',
      'mining.authorize',
      'mining.submit',
      'mining.configure',
      'mining.suggest_target',
      'mining.suggest_difficulty',
      'mining.notify',
      'mining.set_target',
      'mining.set_extranonce',
      'client.reconnect',
      'client.show_message',
    );
    const nearly = fc
      .record({ id: fc.jsonValue(), method: fc.oneof(methods, fc.jsonValue()), params: fc.jsonValue() })
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), nearly), (line) => {
        for (const message of [parseRigMessage(line), parseServerMessage(line)]) {
          if (message.kind === 'malformed') expect(message.detail).toMatch(/\w+ \w+/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('come in the variants that rigs were seen to send', () => {
    const kindOf = (line: string) => parseRigMessage(line);
    for (const params of ['["agent",null]', '["agent"]']) {
      expect(kindOf(`{"id":1,"method":"mining.subscribe","params":${params}}`)).toMatchObject({
        agent: 'agent',
      });
    }
    for (const params of [',"params":[]', ',"params":null', '', ',"params":[null]']) {
      expect(kindOf(`{"id":1,"method":"mining.subscribe"${params}}`)).toMatchObject({ agent: '' });
    }
    expect(kindOf('{"id":"a","method":"mining.authorize","params":["k:1.rig"]}')).toMatchObject({
      password: '',
    });
    expect(kindOf('{"id":2,"method":"mining.submit","params":["a","1","00F"]}')).toMatchObject({
      nonce2: 15,
    });
    expect(kindOf('{"id":"v","result":"agent/1","error":null}')).toMatchObject({ kind: 'response' });
    expect(kindOf('{"id":2,"method":"mining.multi_version","params":[1]}')).toMatchObject({
      kind: 'unknown',
      method: 'mining.multi_version',
    });
  });

  it.each(['7', '"7"', 'null', '{"a":[1]}', '[1,2]', '1.5', '12345678901234567890', '1e400', 'true'])(
    'give the id %s back as it came',
    (idText) => {
      const line = `{"method":"mining.ping","params":["id"], "id" : ${idText}}`;
      expect(parseRigMessage(line)).toEqual({ kind: 'ping', id: idText });
    },
  );

  it.each([
    ['{', -32700, /no JSON/],
    ['[1]', -32600, /a message is a JSON object, not \[1\]/],
    ['{"id":1}', -32600, /"method" must be a text, not nothing/],
    ['{"id":1,"method":7}', -32600, /not 7/],
    ['{"id":1,"method":"mining.submit","params":{}}', -32602, /"params" must be a list, not {}/],
    ['{"id":1,"method":"mining.submit","params":[]}', -32602, /the login must be a text, not nothing/],
    ['{"id":1,"method":"mining.submit","params":["a",5,"0"]}', -32602, /job id must be a text, not 5/],
    ['{"id":1,"method":"mining.submit","params":["a","5","0x1"]}', -32602, /12 hex digits, not "0x1"/],
    ['{"id":1,"method":"mining.authorize","params":[""]}', -32602, /login must be a text "account.rig"/],
    ['{"id":1,"method":"mining.suggest_target","params":["ff"]}', -32602, /64 hex digits.*not "ff"/],
    ['{"id":1,"method":"mining.suggest_difficulty","params":[-1]}', -32602, /above zero, not -1/],
  ])('say what is wrong with %s', (line, code, detail) => {
    expect(parseRigMessage(line)).toMatchObject({
      kind: 'malformed',
      code,
      detail: expect.stringMatching(detail),
    });
  });

  it.each([
    ['an id', (nest: string) => `{"id":${nest},"method":"mining.ping"}`],
    ['a parameter', (nest: string) => `{"id":1,"method":"mining.suggest_target","params":[${nest}]}`],
    ['no object', (nest: string) => nest],
    ['an error', (nest: string) => `{"id":1,"error":${nest}}`],
  ])('take no JSON that nests without end: as %s', (_, around) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const line = around(`${open.repeat(20_000)}1${close.repeat(20_000)}`);
      for (const parse of [parseRigMessage, parseServerMessage])
        expect(parse(line)).toMatchObject({
          kind: 'malformed',
          code: -32700,
          detail: expect.stringContaining('deeper than 64 levels'),
        });
    }
    const deepest = `${'['.repeat(62)}"a"${']'.repeat(62)}`;
    expect(parseRigMessage(`{"id":1,"method":"mining.ping","params":${deepest}}`).kind).toBe('ping');
  });

  it('read how other servers write', () => {
    expect(parseSubscribeResult([null, '38', 6])).toEqual({ nonce1Hex: '0038', nonce2Bytes: 6 });
    expect(parseSubscribeResult([[['mining.notify', '1']], '4059', 6])?.nonce1Hex).toBe('4059');
    expect(parseSubscribeResult(subscribeResult(0x38 as Nonce1))?.nonce1Hex).toBe('0038');
    for (const bad of [null, [null, 'xy', 6], [null, '123456', 6], [null, '12', 9], [null, '', 0]]) {
      expect(parseSubscribeResult(bad)).toBeUndefined();
    }
    const error = (text: string) => parseServerMessage(`{"id":1,"result":false,"error":${text}}`);
    expect(error('[21,"stale",null]')).toMatchObject({ error: { code: 21, message: 'stale' } });
    expect(error('{"code":9,"message":"m"}')).toMatchObject({ error: { code: 9, message: 'm' } });
    expect(error('"no"')).toMatchObject({ error: { code: 20, message: 'no' } });
    expect(error('null')).toEqual({ kind: 'response', id: '1', result: false });
    const header = '0'.repeat(572);
    expect(parseServerMessage(`{"method":"mining.notify","params":["1","${header}"]}`)).toMatchObject({
      clean: true,
    });
    expect(NO_ID).toBe('null');
  });
});

describe('codes', () => {
  it('are those of the dialect', () => {
    const reasons = [
      'stale',
      'unknownJob',
      'duplicate',
      'lowDifficulty',
      'unauthorized',
      'notSubscribed',
    ] as const;
    expect(reasons.map(codeOfRejection)).toEqual([21, 21, 22, 23, 24, 25]);
    expect([codeOfRejection('malformed'), codeOfRejection('tryAgain')]).toEqual([20, 20]);
  });
});
