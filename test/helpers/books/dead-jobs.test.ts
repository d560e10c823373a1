import { describe, expect, it } from 'vitest';
import { encodeWork } from '../../../src/core/work/work.js';
import { AnswerLog, workKeyOf } from '../rigs/answer-log.js';
import { makeWork } from '../rigs/works.js';
import { deadJobs } from './dead-jobs.js';

const work = (chainId: number, parent: number) => makeWork({ chainId, parent });
const fields = (chainId: number, parent: number) => work(chainId, parent).fields;
const key = (chainId: number, parent: number) => workKeyOf(fields(chainId, parent));

describe('T1: jobs are judged by the works that their node gave', () => {
  const works = [key(0, 1), key(1, 1), key(0, 2)];

  it('in the order in which it gave them, however late they come', () => {
    expect(deadJobs([fields(0, 1), fields(0, 1), fields(1, 1), fields(0, 2)], works)).toEqual([]);
  });

  it('one of a work that was given up before is dead', () => {
    expect(deadJobs([fields(0, 2), fields(1, 1), fields(0, 1)], works)).toEqual([
      'chain 0, height 7: given up before',
    ]);
  });

  it('one whose work came back in a reorganisation is not', () => {
    expect(deadJobs([fields(0, 2), fields(0, 1)], [...works, key(0, 1)])).toEqual([]);
  });

  it('one that the node never gave is not its own', () => {
    expect(deadJobs([fields(0, 3)], works)).toEqual(['chain 0, height 7: not of this node']);
  });
});

it('T1: a tap hears works and cuts in whatever pieces they come', () => {
  const log = new AnswerLog();
  const reader = log.reader();
  const body = Buffer.from(encodeWork(work(0, 1))).toString('latin1');
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: 322\r\n\r\n${body}`;
  for (let i = 0; i < 2; i++) {
    reader.asked();
    for (const byte of answer) reader.heard(byte, '/mining/work?chain=0');
  }
  reader.asked();
  for (const byte of 'HTTP/1.1 200 OK\r\n\r\nevent:New Cut\n\nevent:New Cut\n\n')
    reader.heard(byte, '/mining/updates');
  expect(log.works).toEqual([key(0, 1), key(0, 1)]);
  expect(log.cutsAtMs).toHaveLength(2);
});
