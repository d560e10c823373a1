/** The parsers that read what others send, each with what has to hold of it whatever it is given. To be imported once coverage is on. */
import assert from 'node:assert/strict';
import { messagesIn } from '../../../src/rig/wire.js';
import {
  type AccountPolicy,
  Accounts,
  parseCredentials,
  parseLogin,
} from '../../../src/stratum/admission/accounts.js';
import { parseProxyHeader } from '../../../src/stratum/admission/proxy-protocol.js';
import { LineSplitter } from '../../../src/wire/lines.js';
import {
  parseRigMessage,
  parseServerMessage,
  parseSubscribeResult,
} from '../../../src/wire/message-parser.js';
import { encodeNotice, encodeRequest } from '../../../src/wire/messages.js';
import { readFrames } from '../rigs/read-frames.js';
import type { ParserTarget } from './guide.js';

const MAX_LINE = 64;
const POLICIES: readonly AccountPolicy[] = [
  { mode: 'open' },
  { mode: 'list', accounts: ['a', 'k:*', '*x*y*'] },
  { mode: 'password', passwords: { a: 'x', '*': '' } },
  { mode: 'key' },
];
const ACCOUNTS = POLICIES.map((policy) => new Accounts(policy));

export const PARSERS: readonly ParserTarget[] = [
  {
    name: 'messages of rigs',
    seeds: ['{"id":1,"method":"","params":[]}'],
    check(bytes) {
      const message = parseRigMessage(bytes.toString());
      if (['malformed', 'unknown', 'response'].includes(message.kind)) return;
      assert.deepEqual(
        parseRigMessage(encodeRequest(message as Parameters<typeof encodeRequest>[0])),
        message,
      );
    },
  },
  {
    name: 'messages of a pool',
    seeds: ['{"id":1,"method":"","params":[]}', '{"id":1,"result":[null,"0123",6],"error":null}'],
    check(bytes) {
      const message = parseServerMessage(bytes.toString());
      if (message.kind === 'response') parseSubscribeResult(message.result);
      else if (message.kind !== 'malformed' && message.kind !== 'unknown')
        assert.deepEqual(parseServerMessage(encodeNotice(message)), message);
    },
  },
  {
    name: 'lines to the bridge',
    seeds: ['a\nb'],
    check(bytes) {
      const whole: string[] = [];
      const atOnce = new LineSplitter(MAX_LINE, (line) => whole.push(line));
      const isGood = atOnce.push(bytes);
      const cut: string[] = [];
      const splitter = new LineSplitter(MAX_LINE, (line) => cut.push(line));
      const areGood = [...bytes].map((byte) => splitter.push(Buffer.from([byte]))).every(Boolean);
      assert.equal(areGood, isGood);
      if (isGood) {
        const ends = bytes.filter((byte) => byte === 0x0a).length;
        const open = bytes.length > 0 && bytes.at(-1) !== 0x0a ? ends : undefined;
        assert.deepEqual([cut, splitter.count, splitter.open], [whole, ends, open]);
        assert.deepEqual([atOnce.count, atOnce.open], [ends, open]);
      }
      for (const line of whole) assert.ok(line !== '' && !line.includes('\n'));
    },
  },
  {
    name: 'messages on a line to a rig',
    seeds: ['{"a":"}{"}[1]{}'],
    check(bytes) {
      const line = bytes.toString();
      const messages = messagesIn(line);
      assert.equal(messages.join('').trimEnd(), line.trimEnd());
      assert.ok(messages.every((message) => message.trim() !== ''));
    },
  },
  {
    name: 'frames',
    seeds: ['\x81\x80\0\0\0\0', '\x89\x81\0\0\0\0x', '\x01\x81\0\0\0\0a\x80\x81\0\0\0\0b'],
    check(bytes) {
      const [whole, cut] = [readFrames([bytes]), readFrames([...bytes].map((byte) => Buffer.of(byte)))];
      assert.deepEqual(cut, whole);
    },
  },
  {
    name: 'PROXY headers',
    seeds: ['PROXY ', '\r\n\r\n\0\r\nQUIT\n'],
    check(bytes) {
      const header = parseProxyHeader(bytes);
      if (header.kind !== 'header') return;
      assert.ok(header.length > 0 && header.length <= bytes.length);
      assert.deepEqual(parseProxyHeader(bytes.subarray(0, header.length)), header);
      for (const length of [0, 1, header.length - 1])
        assert.equal(parseProxyHeader(bytes.subarray(0, length)).kind, 'more');
    },
  },
  {
    name: 'logins and passwords',
    seeds: ['a.r\nx'],
    check(bytes) {
      const [login = '', ...rest] = bytes.toString().split('\n');
      const credentials = parseCredentials(login, rest.join('\n'));
      const { account, rig, password, fixedDifficulty, startDifficulty, hashesPerSecond } = credentials;
      for (const accounts of ACCOUNTS)
        assert.ok(accounts.whyRefused(credentials) !== undefined || accounts.allow(account));
      for (const asked of [fixedDifficulty, startDifficulty, hashesPerSecond])
        assert.ok(asked === undefined || (asked >= 1 && Number.isFinite(asked)));
      assert.ok(!account.includes('.') && password.length <= rest.join('\n').length);
      assert.deepEqual(parseLogin(login), { account, rig });
    },
  },
];
