/** What follows when a rig or an address misbehaves, weighed by what it did well. */
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import type { Ban } from '../../../src/operations/bans.js';
import { Address, Addresses } from '../../../src/stratum/admission/address.js';
import { Bans } from '../../../src/stratum/admission/bans.js';
import { STRATUM_LIMITS } from '../../../src/stratum/admission/limits.js';
import { HISTORY_MS } from '../../../src/stratum/admission/login-histories.js';
import { Usage } from '../../../src/stratum/admission/usage.js';
import { Violations, type Violator } from '../../../src/stratum/admission/violations.js';
import { RigRules, type RigSettings } from '../../../src/stratum/rig-rules.js';
import { authorize } from '../../../src/stratum/session/authorize.js';
import { Logins } from '../../../src/stratum/session/logins.js';
import type { Session } from '../../../src/stratum/session/session.js';
import { requestIdOf } from '../../../src/wire/json.js';
import { banWitness } from '../../helpers/rigs/ban-witness.js';

const HERE = '192.0.2.1';
const LIMITS = { ...STRATUM_LIMITS, messagesPerSecondPerAddress: 1000 };

/** A session as far as an authorize that is refused goes. */
function authorizingSession(
  parts: Pick<Session, 'authorized' | 'address' | 'refuse' | 'dismiss'> & {
    readonly shared: Pick<Session['shared'], 'rules' | 'clock' | 'violations'>;
  },
): Session {
  return { hint: () => undefined, ...parts } as unknown as Session;
}

function answerLate({ lateAuthorize }: Session, nowMs: number): void {
  if (lateAuthorize && nowMs >= lateAuthorize.dueAtMs) lateAuthorize.answer(nowMs);
}

describe('a ban', () => {
  const setUp = () => {
    const limits = { ...LIMITS, bannedRigsPerAddress: 3, wrongLogins: 2 };
    const bans = new Bans({ banMs: 1000, bannedRigsPerAddress: 3, remembered: 100 }, banWitness());
    const address = new Address(HERE, limits, 0);
    const violations = new Violations(bans, limits, SILENT);
    const violator = (rig: string): Violator => ({
      info: { id: 1, transport: 'tcp', peer: HERE },
      address,
      logins: [{ account: 'a', rig }],
    });
    const misbehave = (rig: string) =>
      violations.violated(violator(rig), { account: 'a', rig }, { reason: 'why', wrong: 301 }, 0);
    const good = (rig: string, count = 1): Usage[] =>
      Array.from({ length: count }, () => {
        const usage = new Usage(address, limits, 0);
        usage.mined({ account: 'a', rig }, 0);
        return usage;
      });
    return { bans, address, violations, violator, misbehave, good };
  };

  it('R9: meets the address only when more of it misbehaves than mines well', () => {
    const { bans, misbehave, good } = setUp();
    for (let i = 0; i < 5; i++) good(`good ${i}`);
    for (let i = 0; i < 5; i++) misbehave(`bad ${i}`);
    expect(bans.ofAddress(HERE, 0)).toBeUndefined();
    misbehave('bad 5');
    expect(bans.ofAddress(HERE, 0)?.reason).toBe('6 rigs of this address are banned; the last: why');
  });

  it('R9: counts those too that mined well a while ago, as when all of a farm come back', () => {
    const { bans, misbehave, good } = setUp();
    for (const usage of good('good', 5)) usage.ended(true, 0);
    for (let i = 0; i < 4; i++) misbehave(`bad ${i}`);
    expect(bans.ofAddress(HERE, 0)).toBeUndefined();
    const other = setUp();
    for (const usage of other.good('bad itself', 5)) usage.ended(false, 0);
    for (let i = 0; i < 4; i++) other.misbehave(`bad ${i}`);
    expect(other.bans.ofAddress(HERE, 0)).toBeDefined();
  });

  it('R9: takes a rig that comes and goes again and again for one', () => {
    const { bans, address, misbehave, good } = setUp();
    for (let i = 0; i < 20; i++) for (const usage of good('good')) usage.ended(true, 0);
    expect(address.goodRigs(0)).toBe(1);
    for (let i = 0; i < 3; i++) misbehave(`bad ${i}`);
    expect(bans.ofAddress(HERE, 0)).toBeDefined();
    expect([address.goodRigs(499), address.goodRigs(2 * HISTORY_MS)]).toEqual([1, 0]);
  });

  it('R9: takes nobody for good whose last share was kept after its session had ended', () => {
    const { bans, address, misbehave, good } = setUp();
    for (const inPeace of [true, false]) {
      const [usage] = good('r');
      usage?.ended(inPeace, 0);
      usage?.mined({ account: 'a', rig: 'r' }, 0);
    }
    expect(address.goodOf({ account: 'a', rig: 'r' })).toBe(0);
    expect(misbehave('r')).toBe(true);
    expect(bans.ofRig('a', 'r', HERE, 0)).toBeDefined();
  });

  it('R9: does not meet a login under which another session mines well', () => {
    const { bans, misbehave, good } = setUp();
    const [usage] = good('farm');
    expect(misbehave('farm')).toBe(false);
    expect(bans.ofRig('a', 'farm', HERE, 0)).toBeUndefined();
    usage?.ended(true, 0);
    expect(misbehave('farm')).toBe(true);
    expect(bans.ofRig('a', 'farm', HERE, 0)).toBeDefined();
  });

  it('R9: meets no login at once that has done more good than bad there lately, and does when it goes on', () => {
    const { bans, misbehave, good } = setUp();
    const [usage] = good('old');
    for (let i = 1; i < 1000; i++) usage?.mined({ account: 'a', rig: 'old' }, 0);
    usage?.ended(false, 0);
    expect([misbehave('old'), misbehave('old'), misbehave('old')]).toEqual([false, false, false]);
    expect(bans.ofRig('a', 'old', HERE, 0)).toBeUndefined();
    expect(misbehave('old')).toBe(true);
    expect(bans.ofRig('a', 'old', HERE, 0)).toBeDefined();
  });

  it('R9: does not count what was done well longer ago, or from elsewhere', () => {
    const addresses = new Addresses(LIMITS);
    const login = { account: 'a', rig: 'r' };
    const usage = new Usage(addresses.at(HERE, 0), LIMITS, 0);
    for (let i = 0; i < 1000; i++) usage.mined(login, 0);
    usage.ended(true, 0);
    expect(addresses.at(HERE, 0).hasDoneMoreGoodThan(1, login, 1000)).toBe(true);
    expect(addresses.at('192.0.2.2', 0).hasDoneMoreGoodThan(1, login, 1000)).toBe(false);
    expect(addresses.at(HERE, 0).hasDoneMoreGoodThan(1, login, 2 * HISTORY_MS)).toBe(false);
  });

  it('R9: weighs rigs that wait for their first share a little, and fully those with a password', () => {
    for (const [isProven, weight] of [
      [false, 3],
      [true, 30],
    ] as const) {
      const { address } = setUp();
      const waiting = Array.from({ length: 30 }, () => new Usage(address, LIMITS, 0));
      for (const each of waiting) each.letIn(isProven);
      expect(address.goodRigs(0)).toBe(weight);
      waiting[0]?.mined({ account: 'a', rig: 'r' }, 0);
      expect(address.goodRigs(0)).toBe(weight);
      for (const each of waiting) each.ended(false, 0);
      expect(address.goodRigs(0)).toBe(0);
    }
  });

  it('R9: that an earlier start has given does not count against an address whose good rigs are forgotten', () => {
    const first = setUp();
    for (let i = 0; i < 2; i++) first.misbehave(`bad ${i}`);
    const rules = { banMs: 1000, bannedRigsPerAddress: 3, remembered: 100 };
    const bans = new Bans(rules, banWitness(), first.bans.kept(0));
    for (let i = 2; i < 4; i++) bans.banRig('a', `bad ${i}`, HERE, 'why', 0);
    expect(bans.ofAddress(HERE, 0)).toBeUndefined();
    bans.banRig('a', 'bad 4', HERE, 'why', 0);
    expect(bans.ofAddress(HERE, 0)?.reason).toMatch(/^3 rigs of this address are banned/);
  });

  it('R13: follows the second flood, and meets the address unless good rigs outnumber', () => {
    const { bans, violations, violator } = setUp();
    violations.flooded(violator('r'), 'flood', 0);
    expect(bans.list(0)).toEqual([]);
    violations.flooded(violator('r'), 'flood', 0);
    expect(bans.list(0).map(({ kind, login }) => [kind, login])).toEqual([
      ['address', undefined],
      ['rig', 'a.r'],
    ]);
    const farm = setUp();
    farm.good('good', 3);
    for (let i = 0; i < 3; i++) farm.violations.flooded(farm.violator('r'), 'flood', 0);
    expect(farm.bans.list(0).map(({ kind, login }) => [kind, login])).toEqual([['rig', 'a.r']]);
  });

  it('follows what is no message, again and again, from who has no name where nobody mines', () => {
    const stranger = (world: ReturnType<typeof setUp>) => ({ ...world.violator('r'), logins: [] });
    const alone = setUp();
    for (let i = 0; i < 4; i++) alone.violations.garbled(stranger(alone), 'noise', 0);
    expect(alone.bans.list(0)).toEqual([]);
    alone.violations.garbled(stranger(alone), 'noise', 0);
    expect(alone.bans.list(0)).toMatchObject([{ kind: 'address', reason: 'noise' }]);
    // Beside a rig it may be a browser that a web page makes do it.
    const home = setUp();
    home.good('good');
    for (let i = 0; i < 50; i++) home.violations.garbled(stranger(home), 'noise', 0);
    expect(home.bans.list(0)).toEqual([]);
    // Who has a name loses that, and the address loses its rigs when they are fewer than what was closed.
    for (let i = 0; i < 5; i++) home.violations.garbled(home.violator('r'), 'noise', 0);
    expect(home.bans.list(0).map(({ kind, login }) => [kind, login])).toEqual([
      ['address', undefined],
      ['rig', 'a.r'],
    ]);
    const farm = setUp();
    farm.good('good', 10);
    for (let i = 0; i < 10; i++) farm.violations.garbled(farm.violator('r'), 'noise', 0);
    expect(farm.bans.list(0).map(({ kind, login }) => [kind, login])).toEqual([['rig', 'a.r']]);
    // Longer ago than a ban lasts is not lately.
    const slow = setUp();
    for (let i = 0; i < 50; i++) slow.violations.garbled(stranger(slow), 'noise', i * LIMITS.banMs);
    expect(slow.bans.list(0)).toEqual([]);
  });

  it('R10: does not follow the guesses of one session, which is ended first', () => {
    const { bans, address } = setUp();
    const settings: RigSettings = {
      ...{ shareDifficulty: 'vardiff', accounts: { mode: 'password', passwords: { a: 'secret' } } },
      limits: LIMITS,
    };
    const rules = new RigRules(settings, ['tcp']).at('tcp');
    const clock = { now: 0, nowMs: () => clock.now };
    const answers: string[] = [];
    const ends: string[] = [];
    const session = authorizingSession({
      shared: { rules, clock, violations: new Violations(bans, rules.limits, SILENT) },
      authorized: new Logins({ bans, rules }, HERE),
      address,
      refuse: (_id, _result, _code, message) => void answers.push(message),
      dismiss: (why) => void ends.push(why),
    });
    const request = { kind: 'authorize', id: requestIdOf(1), login: 'a.r', password: 'guess' } as const;
    for (let i = 0; i < 11; i++) {
      authorize(session, request);
      clock.now += 1000;
      answerLate(session, clock.now);
    }
    expect(answers).toEqual(Array(10).fill('no such account and password: a'));
    expect(ends).toEqual(['more than 10 wrong accounts or passwords']);
    expect(bans.list(clock.now)).toEqual([]);
  });

  it.each([
    ['list', { mode: 'list', accounts: ['a'] }, 'b.r'],
    ['key', { mode: 'key' }, 'no key.r'],
  ] as const)('ST5: does not follow names that are not listed, in mode %s', (_mode, accounts, login) => {
    const { bans, address } = setUp();
    const limits = { ...LIMITS, wrongLogins: 2 };
    const rules = new RigRules({ shareDifficulty: 'vardiff', accounts, limits }, ['tcp']).at('tcp');
    const clock = { now: 0, nowMs: () => clock.now };
    const heard: string[] = [];
    const open = (): Session =>
      authorizingSession({
        shared: { rules, clock, violations: new Violations(bans, rules.limits, SILENT) },
        authorized: new Logins({ bans, rules }, HERE),
        address,
        refuse: (_id, _result, code) => void heard.push(`refused ${code}`),
        dismiss: (why) => void heard.push(why),
      });
    const request = { kind: 'authorize', id: requestIdOf(1), login, password: '' } as const;
    const rigs = Array.from({ length: 40 }, open);
    for (const rig of rigs) authorize(rig, request);
    // Nobody goes through names quickly.
    expect(heard).toEqual([]);
    clock.now += 1000;
    for (const rig of rigs) answerLate(rig, clock.now);
    expect(heard).toEqual(Array(40).fill('refused 24'));
    expect(bans.list(clock.now)).toEqual([]);
    const [again = expect.fail()] = rigs;
    for (let i = 0; i < 10; i++) {
      authorize(again, request);
      clock.now += 1000;
      answerLate(again, clock.now);
    }
    expect(heard.at(-1)).toBe('more than 10 wrong accounts or passwords');
  });

  it('ST5: of an address is one line and one event, and not one for each of its sessions', () => {
    const lines: string[] = [];
    const log = { ...SILENT, warn: (_fields: object, text: string) => void lines.push(text) } as Log;
    const events: string[] = [];
    const witness = { ...banWitness(), banned: ({ kind }: Ban) => void events.push(kind) };
    const limits = { ...LIMITS, bannedRigsPerAddress: 3 };
    const bans = new Bans({ banMs: 1000, bannedRigsPerAddress: 3, remembered: 100 }, witness);
    const violations = new Violations(bans, limits, log);
    const address = new Address(HERE, limits, 0);
    const misbehave = (rig: string): boolean => {
      const login = { account: 'a', rig };
      const info = { id: 1, transport: 'tcp', peer: HERE } as const;
      violations.flooded({ info, address, logins: [login] }, 'flood', 0);
      return violations.violated({ info, address, logins: [login] }, login, { reason: 'why', wrong: 301 }, 0);
    };
    expect(Array.from({ length: 50 }, (_, i) => misbehave(`r${i % 5}`))).toEqual(Array(50).fill(true));
    expect(lines.filter((line) => line === 'an address is banned')).toHaveLength(1);
    expect(events.filter((kind) => kind === 'address')).toHaveLength(1);
    expect([lines.length, events.length]).toEqual([5, 3]);
    // When it is over there may be another.
    expect(bans.banAddress(HERE, 'why', 1001)).toBe(true);
  });

  it('R10: follows guesses, more of them where good rigs are', () => {
    const { bans, address, violations, good } = setUp();
    good('good', 3);
    for (let i = 0; i < 6; i++) expect(violations.guessed(address, 0)).toBeUndefined();
    expect(violations.guessed(address, 0)).toBe('more than 2 wrong accounts or passwords');
    expect(bans.ofAddress(HERE, 0)).toBeDefined();
  });
});
