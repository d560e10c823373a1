/** What README says twice is compared with the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/stratum/errors.js';
import { parseRigMessage, parseServerMessage } from '../src/stratum/message-parser.js';
import { fillTables } from './helpers/readme-tables.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const MAIN = readFileSync(new URL('../src/main.ts', import.meta.url), 'utf8');

describe('README', () => {
  it('has the tables of settings as they are (`npm run readme` writes them)', () => {
    expect(README.match(/<!-- settings: /g)).toHaveLength(4);
    expect(fillTables(README)).toBe(README);
  });

  it('lists the commands with their summaries', async () => {
    const names = Array.from(MAIN.matchAll(/^ {2}(\w+): \(\) => import/gm), ([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const { command } = await import(`../src/commands/${name}.ts`);
      expect(README).toContain(`| \`${name}\` | ${command.summary} |`);
    }
  });

  it('lists every error code', () => {
    const codes = Array.from(README.matchAll(/^\| (-?\d+) \|/gm), ([, code]) => Number(code));
    expect(codes).toEqual(Object.values(ERROR_CODES));
  });

  it('shows messages that are what it says they are', () => {
    const blocks = Array.from(README.matchAll(/```json\n([\s\S]*?)```/g), ([, block]) =>
      (block ?? '').trim().split('\n'),
    );
    const [toBridge = [], toRig = []] = blocks;
    expect(toBridge.map((line) => parseRigMessage(line).kind)).toEqual([
      'subscribe',
      'authorize',
      'submit',
      'extranonceSubscribe',
      'configure',
      'suggestDifficulty',
      'suggestTarget',
      'ping',
    ]);
    expect(toRig.map((line) => parseServerMessage(line).kind)).toEqual([
      'response',
      'response',
      'setTarget',
      'response',
      'response',
      'setExtranonce',
      'getVersion',
      'reconnect',
      'showMessage',
    ]);
  });
});
