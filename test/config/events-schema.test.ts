/** The contract of `events.file`, as it is shipped. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { KINDS } from '../../src/bridge/timeline/events.js';
import { eventsSchema, SCHEMA_FILE } from '../helpers/tools/events-schema.js';

const SHIPPED = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'));

it('is the schema that the lines are made by (`npm run api` writes it)', () => {
  expect(JSON.parse(JSON.stringify(eventsSchema()))).toEqual(SHIPPED);
});

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const fits = ajv.compile(SHIPPED);
const LINE = { v: 1, key: 'a.1', time: new Date().toISOString(), says: 'x', instance: null, by: null };

it('has each kind, with its facts', () => {
  expect(Object.keys(SHIPPED.$defs)).toEqual(KINDS);
  const switched = { from: 'http://a', to: 'http://b' };
  expect(fits({ ...LINE, kind: 'nodeSwitched', facts: switched })).toBe(true);
  expect(fits({ ...LINE, kind: 'nodeSwitched', facts: { from: 'http://a' } })).toBe(false);
  expect(fits({ ...LINE, kind: 'nodeSwitched', facts: switched, v: 2 })).toBe(false);
});

it('takes kinds and facts of later versions', () => {
  expect(fits({ ...LINE, kind: 'ledgerAway', facts: { later: 1 } })).toBe(true);
  expect(fits({ ...LINE, kind: 'later', facts: { what: 'ever' } })).toBe(true);
});
