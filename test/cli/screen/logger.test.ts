import { describe, expect, it } from 'vitest';
import { createLogger, withoutChatter } from '../../../src/cli/screen/logger.js';

async function logger(format: 'text' | 'json', level = 'info') {
  const written: string[] = [];
  const log = await createLogger({ level, format, isTerminal: false, write: (text) => written.push(text) });
  return { log, written };
}

describe('C17: the log', () => {
  it('C17: is one line an entry for people, whatever fields it has', async () => {
    const { log, written } = await logger('text');
    log.info(
      { event: 'x', chain: 3, detail: '', node: { url: 'http://a', words: ['b', 'c'] } },
      'a solution',
    );
    expect(written.join('').trimEnd().split('\n')).toHaveLength(1);
    expect(written[0]).toMatch(/INFO.*: a solution .*"chain":3/);
  });

  it('C17: is one line an event also when a message or a field is of several, in both formats', async () => {
    const fault = new Error('first\nsecond');
    const fields = {
      event: 'x',
      err: fault,
      error: 'a\r\n  b',
      detail: { deep: ['c\u2028d', 'e\u001b[2J\u009bf'] },
    };
    const text = await logger('text');
    text.log.error(fields, 'it failed:\n\tbadly\u202e');
    const [line = '', ...more] = text.written.join('').split(/[\n\r\u2028]/);
    expect(more).toEqual(['']);
    expect(line).toMatch(
      /ERROR.*: it failed: badly\\u\{202e\} \{"err":\{"type":"Error","message":"first second"/,
    );
    expect(line).toContain('"error":"a b","detail":{"deep":["c d","e\\u{1b}[2J\\u{9b}f"]}');
    expect(line).toContain('logger.test.ts');
    const json = await logger('json');
    json.log.error(fields, 'it failed:\nbadly');
    expect(json.written.join('').trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(json.written[0] ?? '')).toMatchObject({ msg: 'it failed:\nbadly', error: 'a\r\n  b' });
  });

  it('C17: keeps each line as JSON beside what people read', async () => {
    const kept: string[] = [];
    const log = await createLogger({
      ...{ level: 'info', format: 'text', isTerminal: true },
      write: () => {},
      keep: (line) => kept.push(line),
    });
    log.info({ event: 'ready' }, 'ready');
    log.level = 'error';
    log.info('not this one');
    expect(kept.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', event: 'ready', msg: 'ready' },
    ]);
  });

  it('C17: leaves out of the demo what goes right all the time, and nothing else', async () => {
    const { log, written } = await logger('json');
    const calm = withoutChatter(log);
    const taken = 'the node has taken the block of chain 3 at height 7';
    calm.info({}, taken);
    calm.warn({}, 'solution superseded');
    expect(written).toEqual([]);
    for (const message of ['a chain is not followed now', 'solution rejected']) calm.warn({}, message);
    calm.info({}, 'ready');
    expect(written).toHaveLength(3);
  });
});
