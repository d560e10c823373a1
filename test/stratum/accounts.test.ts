import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import {
  type AccountPolicy,
  Accounts,
  parseCredentials,
  parseLogin,
} from '../../src/stratum/admission/accounts.js';
import { Bans } from '../../src/stratum/admission/bans.js';
import { Audience, rankOf } from '../../src/stratum/jobs/audience.js';
import { NonceLeases } from '../../src/stratum/resume/nonce-leases.js';
import { RigBook } from '../../src/stratum/resume/rig-book.js';
import type { JobTaker } from '../../src/stratum/session/session-parts.js';
import { banWitness } from '../helpers/rigs/ban-witness.js';

describe('login', () => {
  it.each([
    ['k:ab.rig.1', '', { account: 'k:ab', rig: 'rig.1', password: '' }],
    ['k:ab', 'x', { account: 'k:ab', rig: '', password: 'x' }],
    ['k:ab.r+1e12', 'x', { account: 'k:ab', rig: 'r', password: 'x', fixedDifficulty: 1e12 }],
    ['k:ab+5000', '', { account: 'k:ab', rig: '', password: '', fixedDifficulty: 5000 }],
    ['a.r', 'fd=2.5e9', { account: 'a', rig: 'r', password: '', fixedDifficulty: 2.5e9 }],
    ['a.r', 'se;cret,d=4096', { account: 'a', rig: 'r', password: 'se;cret', startDifficulty: 4096 }],
    ['a.r+7', 'FD=8;x', { account: 'a', rig: 'r', password: 'x', fixedDifficulty: 8 }],
    ['a.r+7', 'd=8', { account: 'a', rig: 'r', password: '', fixedDifficulty: 7, startDifficulty: 8 }],
    ['a.r', 'fd=1e12,secret', { account: 'a', rig: 'r', password: 'secret', fixedDifficulty: 1e12 }],
    ['a.r', 'secret,fd=1e12', { account: 'a', rig: 'r', password: 'secret', fixedDifficulty: 1e12 }],
    ['a.r', 'd=1;d=2,se,d=3 ;cret', { account: 'a', rig: 'r', password: 'se;cret', startDifficulty: 3 }],
    ['a.r', ',se,d=4', { account: 'a', rig: 'r', password: ',se', startDifficulty: 4 }],
    ['a.r', ',d=4', { account: 'a', rig: 'r', password: '', startDifficulty: 4 }],
    ['a.r', 'h=1.2G', { account: 'a', rig: 'r', password: '', hashesPerSecond: 1.2e9 }],
    ['a.r', 'x;H=500M', { account: 'a', rig: 'r', password: 'x', hashesPerSecond: 5e8 }],
    ['a.r', 'th=1.5', { account: 'a', rig: 'r', password: '', hashesPerSecond: 1.5e12 }],
    ['a.r', 'th=1,h=3T', { account: 'a', rig: 'r', password: '', hashesPerSecond: 3e12 }],
    ['a.r', 'my secret d=4T', { account: 'a', rig: 'r', password: 'my secret', startDifficulty: 4e12 }],
    ['a.r', 'd=4 secret', { account: 'a', rig: 'r', password: 'secret', startDifficulty: 4 }],
    [
      'a.r',
      'secret, d=4 , h=9 ',
      { account: 'a', rig: 'r', password: 'secret', startDifficulty: 4, hashesPerSecond: 9 },
    ],
    ['a.r', ' x  y ', { account: 'a', rig: 'r', password: ' x  y ' }],
    ['a.r', 'd=0', { account: 'a', rig: 'r', password: '' }],
    ['a.r', 'd=many', { account: 'a', rig: 'r', password: 'd=many' }],
    ['a.r', 'method=5,diff=6,h=7GH', { account: 'a', rig: 'r', password: 'method=5,diff=6,h=7GH' }],
    ['a+b.r', '', { account: 'a+b', rig: 'r', password: '' }],
  ])('%s with password "%s" is taken apart', (login, password, parts) => {
    expect(parseCredentials(login, password)).toEqual(parts);
  });

  it('R18: has its hints before or after the secret, which stays as it is', () => {
    const policy: AccountPolicy = { mode: 'password', passwords: { a: 'secret' } };
    for (const password of ['d=1e12,secret', 'secret,fd=1e12', 'secret h=1T'])
      expect(new Accounts(policy).whyRefused(parseCredentials('a.r', password))).toBeUndefined();
  });

  it('is never too odd to be read, and names the same rig with and without a difficulty', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (login, password) => {
        const { account, rig } = parseCredentials(login, password);
        expect(parseLogin(login)).toEqual({ account, rig });
      }),
    );
  });

  it('has hints that are 1 or more and finite, whatever stands in the password, and a secret without them', () => {
    const word = fc.oneof(
      fc.string(),
      fc.tuple(
        fc.constantFrom('d', 'fd', 'h', 'th', 'x'),
        fc.double(),
        fc.constantFrom('', 'k', 'T', 'e99', 'x'),
      ),
      fc.tuple(fc.constantFrom('d', 'fd', 'h', 'th'), fc.nat(), fc.constantFrom('', 'M', 'e9')),
    );
    const text = word.map((parts) =>
      typeof parts === 'string' ? parts : `${parts[0]}=${parts[1]}${parts[2]}`,
    );
    const separator = fc.stringMatching(/^[,; ]{1,3}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(text, separator), { maxLength: 20 }), (words) => {
        const credentials = parseCredentials('a.r', words.flat().join(''));
        const { password, fixedDifficulty, startDifficulty, hashesPerSecond } = credentials;
        for (const asked of [fixedDifficulty, startDifficulty, hashesPerSecond])
          expect(asked === undefined || (asked >= 1 && Number.isFinite(asked))).toBe(true);
        expect(parseCredentials('a.r', password)).toEqual({ account: 'a', rig: 'r', password });
      }),
    );
  });

  it('is a secret as a whole where it has more parts than anybody writes', () => {
    const password = 'd=1 '.repeat(40);
    expect(parseCredentials('a.r', password)).toEqual({ account: 'a', rig: 'r', password });
  });
});

describe('account policy', () => {
  const refused = (policy: AccountPolicy, login: string, password = '') =>
    new Accounts(policy).whyRefused(parseCredentials(login, password))?.text;

  it('takes anyone, those on the list, or those with the password', () => {
    expect(refused({ mode: 'open' }, 'anyone.r')).toBeUndefined();
    expect(refused({ mode: 'open' }, '.r')).toMatch(/names no account/);
    const list: AccountPolicy = { mode: 'list', accounts: ['k:1', 'team-*', '*x*y'] };
    for (const good of ['k:1.r', 'team-a', 'team-', 'axbxy', 'xy'])
      expect(refused(list, good)).toBeUndefined();
    for (const bad of ['k:12', 'tea-m', 'xyz', 'y'])
      expect(refused(list, bad)).toBe(`the account ${bad} is not on the list of this bridge`);
    const secrets: AccountPolicy = { mode: 'password', passwords: { 'k:1': 'one', '*': 'all' } };
    expect(refused(secrets, 'k:1.r', 'one,fd=5')).toBeUndefined();
    expect(refused(secrets, 'k:2', 'all')).toBeUndefined();
    expect(refused(secrets, 'k:1', 'all')).toBe('no such account and password: k:1');
    expect(refused({ mode: 'password', passwords: {} }, 'k:1')).toMatch(/no such/);
  });

  const KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

  it.each([
    ['of RFC 8032, 7.1, test 1', KEY],
    ['of RFC 8032, 7.1, test 2', '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'],
    ['of RFC 8032, 7.1, test 3', 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025'],
    ['the base point', '5866666666666666666666666666666666666666666666666666666666666666'],
  ])('key takes a point of the curve: %s', (_what, key) => {
    expect(refused({ mode: 'key' }, `k:${key}.rig+5`)).toBeUndefined();
    expect(new Accounts({ mode: 'key' }).allow(`k:${key}`)).toBe(true);
  });

  it('key looks at each key once', () => {
    const accounts = new Accounts({ mode: 'key' });
    let looks = 0;
    const look = (login: string) => accounts.whyRefused(parseCredentials(login, ''), () => looks++);
    for (const login of [`k:${KEY}.a`, `k:${KEY}.b`]) expect(look(login)).toBeUndefined();
    expect(look('bob')?.kind).toBe('unlisted');
    expect(looks).toBe(1);
    expect(look(`k:${'02'.padEnd(64, '0')}`)?.kind).toBe('unlisted');
    expect(looks).toBe(2);
  });

  it.each([
    ['no point: the square root does not exist', '02'.padEnd(64, '0')],
    ['the identity, of order 1', '01'.padEnd(64, '0')],
    ['of order 2', `ec${'f'.repeat(60)}7f`],
    ['of order 4', '0'.repeat(64)],
    ['of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['written with y above the prime', `ee${'f'.repeat(60)}7f`],
    ['x = 0 with the sign of another', `01${'0'.repeat(60)}80`],
  ])('key refuses what is no public key: %s', (_what, key) => {
    const refusal = new Accounts({ mode: 'key' }).whyRefused(parseCredentials(`k:${key}.r`, ''));
    expect(refusal).toEqual({
      text: `the account k:${key} cannot be paid: its 64 digits are no Ed25519 public key, so look for a slip in them`,
      kind: 'unlisted',
    });
    expect(new Accounts({ mode: 'key' }).allow(`k:${key}`)).toBe(false);
  });

  it.each(['bob', `k:${KEY.slice(1)}`, `k:${KEY}0`, `k:${KEY.toUpperCase()}`, `w:${KEY}`, KEY, `K:${KEY}`])(
    'key says what it expects in place of %s',
    (account) =>
      expect(refused({ mode: 'key' }, `${account}.r`)).toBe(
        `the account ${account} cannot be paid here: it has to be k: and the 64 lower-case hex digits of an Ed25519 public key`,
      ),
  );

  it('key agrees with keys that OpenSSL makes', () => {
    for (let i = 0; i < 50; i++) {
      const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      expect(refused({ mode: 'key' }, `k:${Buffer.from(x, 'base64url').toString('hex')}`)).toBeUndefined();
    }
  });

  it.each(['k:ab+1e12.rig', 'k:ab+1.5e12.rig', 'k:ab+5000.r+7', 'k:ab+1e+12', 'k:ab+1e100', 'a+1+2'])(
    'R18: takes a difficulty that is no suffix of the login for no part of the account: %s',
    (login) => {
      const why = /^the account .* ends like a difficulty, which belongs at the end: account\.rig\+1e12$/;
      expect(refused({ mode: 'open' }, login)).toMatch(why);
      expect(refused({ mode: 'list', accounts: ['*'] }, login)).toMatch(why);
      const accounts = [parseCredentials(login, '').account];
      expect(refused({ mode: 'list', accounts }, login)).toBeUndefined();
      const refusal = new Accounts({ mode: 'password', passwords: {} }).whyRefused(
        parseCredentials(login, ''),
      );
      expect(refusal?.kind).toBe('unfit');
    },
  );

  it('R18: takes an account with a plus sign for what it is', () => {
    for (const login of ['a+b.r', 'a+', '+a', 'a+5b.r', 'k:ab.r+5', 'k:ab+5'])
      expect(refused({ mode: 'open' }, login)).toBeUndefined();
  });

  it('R10: takes the first entry that fits, found by key', () => {
    const name = fc.stringMatching(/^[ab]{0,3}$/);
    const pattern = fc.stringMatching(/^[ab*]{1,3}$/);
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), name, (patterns, account) => {
        const fits = (entry: string): boolean => new RegExp(`^${entry.replaceAll('*', '.*')}$`).test(account);
        const passwords = Object.fromEntries(patterns.map((entry, i) => [entry, `${i}`]));
        const first = Object.keys(passwords).find(fits);
        const good = patterns
          .map((_, i) => `${i}`)
          .filter(
            (password) => refused({ mode: 'password', passwords }, `${account}.r`, password) === undefined,
          );
        expect(good).toEqual(first === undefined || account === '' ? [] : [passwords[first]]);
      }),
    );
  });

  it('decides at once, whatever the pattern holds', () => {
    const policy: AccountPolicy = { mode: 'list', accounts: ['*a'.repeat(2000)] };
    expect(refused(policy, `${'a'.repeat(3000)}b`)).toBeDefined();
  });
});

const rulesOf = (remembered: number, areProven = false) => ({
  limits: { remembered },
  accounts: { areProven },
});

describe('bans', () => {
  const rules = { banMs: 1000, bannedRigsPerAddress: 3, remembered: 5 };

  it('hit the rig at its address, then the address, and end (users-ask 17)', () => {
    const bans = new Bans(rules, banWitness());
    bans.banRig('a', 'r', '192.0.2.1', 'why', 0);
    expect(bans.ofRig('a', 'r', '192.0.2.1', 999)).toMatchObject({
      until: new Date(1000).toISOString(),
      reason: 'why',
    });
    expect(bans.ofRig('a', 'r', '192.0.2.2', 0)).toBeUndefined();
    expect(bans.ofAddress('192.0.2.1', 0)).toBeUndefined();
    bans.banRig('a', 's', '192.0.2.1', 'why', 0);
    bans.banRig('a', '', '192.0.2.1', 'why', 0);
    expect(bans.ofAddress('192.0.2.1', 0)?.reason).toBe('3 rigs of this address are banned; the last: why');
    expect(bans.list(0).map(({ kind, login = 'of all' }) => `${kind} ${login}`)).toEqual([
      'address of all',
      'rig a.r',
      'rig a.s',
      'rig a',
    ]);
    expect(new Set(bans.list(0).map(({ address }) => address))).toEqual(new Set(['192.0.2.1']));
    expect(bans.list(1000)).toEqual([]);
  });

  it('are no more than may be remembered', () => {
    const bans = new Bans(rules, banWitness());
    for (let i = 0; i < 20; i++) bans.banRig('a', String(i), String(i), 'why', 0);
    expect(bans.list(0)).toHaveLength(5);
  });
});

describe('nonce leases', () => {
  it('open a group when all before are full, and take back what is wanted', () => {
    const leases = new NonceLeases(new NonceSpace(0), 2);
    const all = Array.from({ length: 2 * 65_536 }, () => leases.lease(0) ?? expect.fail());
    expect(new Set(all.map(({ nonce1, group }) => group * 65_536 + nonce1)).size).toBe(131_072);
    expect(leases.lease(0)).toBeUndefined();
    const last = all.at(-1) ?? expect.fail();
    leases.release(last, 0);
    expect(leases.leaseAgain(last, 0)).toEqual(last);
    expect(leases.leaseAgain(last, 0)).toBeUndefined();
  });
});

describe('rig book', () => {
  it('knows rigs and accounts, and forgets the longest silent', () => {
    const book = new RigBook(rulesOf(2));
    const came = [
      ['one', 0],
      ['two', 0],
      ['one', 61_000],
      ['three', 61_000],
    ] as const;
    const share = { difficulty: 60_000, nextDifficulty: 7, sinceMs: -9_000, addressKey: 'here' };
    for (const [rig, atMs] of came) book.share(book.recordOf({ account: 'a', rig }), share, atMs);
    expect([...book.rigs()].map(({ login }) => login.rig)).toEqual(['one', 'three']);
    expect(book.difficultyOf({ account: 'a', rig: 'one' }, 'here')).toBe(7);
    expect(book.difficultyOf({ account: 'a', rig: 'two' }, 'here')).toBeUndefined();
    const [account] = book.accounts;
    const hour = account?.meter.rates(61_000)[3];
    expect(hour?.hashesPerSecond).toBeCloseTo(240_000 / 70);
    expect(hour?.standardError).toBeCloseTo(120_000 / 70);
  });
});

describe('the difficulty that a rig had', () => {
  const login = { account: 'a', rig: 'r' };
  const share = { difficulty: 1, sinceMs: 0 };

  it('A10: is of its name and address where anybody may use the name', () => {
    const book = new RigBook(rulesOf(10));
    book.share(book.recordOf(login), { ...share, nextDifficulty: 1e12, addressKey: 'farm' }, 0);
    book.share(book.recordOf(login), { ...share, nextDifficulty: 5, addressKey: 'stranger' }, 0);
    expect(['farm', 'stranger', 'new'].map((from) => book.difficultyOf(login, from))).toEqual([
      1e12,
      5,
      undefined,
    ]);
  });

  it('A10: is of its name where that has a password', () => {
    const book = new RigBook(rulesOf(10, true));
    book.share(book.recordOf(login), { ...share, nextDifficulty: 1e12, addressKey: 'farm' }, 0);
    expect(book.difficultyOf(login, 'elsewhere')).toBe(1e12);
  });
});

describe('order of writing', () => {
  it('begins with the fastest (users-ask 11)', () => {
    const audience = new Audience();
    const sessions = [0, 5, 2e15, 0.5, 70].map((hashesPerSecond) => ({ hashesPerSecond }) as JobTaker);
    for (const session of sessions) audience.add(session, rankOf(session.hashesPerSecond));
    const order = audience.ranks.flatMap((rank) => [...rank].map(({ hashesPerSecond }) => hashesPerSecond));
    expect(order).toEqual([2e15, 70, 5, 0, 0.5]);
    for (const session of sessions) audience.remove(session, rankOf(session.hashesPerSecond));
    expect(audience.size).toBe(0);
  });
});
