/** What the page says of one of several bridges. */
import { expect, it } from 'vitest';
import { bridgeWords, ofBridge } from '../../../../src/web/page/words/bridges.js';

const THERE = { instance: 1, place: 'pool2:/data', ageMs: 900, sessions: 2, hashesPerSecond: 3e12 };

/** With plain spaces. */
const said = (...given: Parameters<typeof bridgeWords>): string => bridgeWords(...given).replace(/\s/g, ' ');

it('says what each does, how old that is, and which was asked', () => {
  expect(said(THERE, false)).toBe('pool2:/data, 2 sessions, 3.00 TH/s');
  expect(said({ ...THERE, ageMs: 0 }, true)).toBe('pool2:/data, this one, 2 sessions, 3.00 TH/s');
  expect(said({ ...THERE, ageMs: 7_000 }, false)).toMatch(/^pool2:\/data, 2 sessions, 3.00 TH\/s, 7 s ago$/);
  const silent = { ...THERE, ageMs: null, sessions: null, hashesPerSecond: null };
  expect(said(silent, false)).toMatch(/^pool2:\/data: it has shown nothing that can be read/);
  expect([ofBridge(null), ofBridge(2)]).toEqual(['', ' (bridge 2)']);
});
