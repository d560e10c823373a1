import { describe, expect, it } from 'vitest';
import { createLogger, withoutChatter } from '../../src/commands/logger.js';

function logger(format: 'text' | 'json', level = 'info') {
  const written: string[] = [];
  const log = createLogger({ level, format, isTerminal: false, write: (text) => written.push(text) });
  return { log, written };
}

describe('C17: the log', () => {
  it('C17: is one line an entry for people, whatever fields it has', () => {
    const { log, written } = logger('text');
    log.info(
      { event: 'x', chain: 3, detail: '', node: { url: 'http://a', words: ['b', 'c'] } },
      'a solution',
    );
    expect(written.join('').trimEnd().split('\n')).toHaveLength(1);
    expect(written[0]).toMatch(/INFO.*: a solution .*"chain":3/);
  });

  it('C17: leaves out of the demo what goes right all the time, and nothing else', () => {
    const { log, written } = logger('json');
    const calm = withoutChatter(log);
    for (const message of ['solution received', 'block onChain', 'block confirmed']) calm.info({}, message);
    calm.warn({}, 'solution superseded');
    expect(written).toEqual([]);
    for (const message of ['block unknown', 'block orphaned', 'solution rejected']) calm.warn({}, message);
    calm.info({}, 'ready');
    expect(written).toHaveLength(4);
  });
});
