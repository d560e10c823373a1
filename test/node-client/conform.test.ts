import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStreamOverflow, StreamConformer } from '../../src/node-client/streams/conform.js';

/** What is told of a stream cut into chunks at `cuts`, by the conformer and by a standard parser behind it. */
function eventsOf(stream: string, cuts: readonly number[]): string[] {
  const events: string[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(`${event.event ?? 'message'}:${event.data}`),
  });
  const conformer = new StreamConformer((name) => events.push(`bare ${name}`));
  const bytes = Buffer.from(stream);
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  let from = 0;
  for (const end of ends) {
    parser.feed(Buffer.from(conformer.feed(bytes.subarray(from, end))).toString());
    from = end;
  }
  return events;
}

const ignore = (): void => undefined;
const anyCuts = fc.array(fc.nat(100_000), { maxLength: 60 });

describe('stream conformer', () => {
  it('refuses an event of short lines without end, and takes any number of events and comments', () => {
    const conformer = new StreamConformer(ignore, 100);
    for (let i = 0; i < 50; i++) conformer.feed(Buffer.from('data:12345\n: a comment\n\n'));
    for (let i = 0; i < 50; i++) conformer.feed(Buffer.from(': another comment\n'));
    for (let i = 0; i < 10; i++) conformer.feed(Buffer.from('data:12345\n'));
    expect(() => conformer.feed(Buffer.from('data:12345\n'))).toThrow(EventStreamOverflow);
  });

  it.each(['\n', '\r', '\r\n'])(
    'tells of every data-less event, lines ended by %j, split anywhere',
    (eol) => {
      const stream = `event:New Cut${eol}${eol}`.repeat(100);
      const expected = Array.from({ length: 100 }, () => 'bare New Cut');
      fc.assert(
        fc.property(anyCuts, (cuts) => {
          expect(eventsOf(stream, cuts)).toEqual(expected);
        }),
      );
      const everyByte = Array.from({ length: stream.length }, (_, i) => i);
      expect(eventsOf(stream, everyByte)).toEqual(expected);
    },
  );

  it('leaves events with data, comments and empty lines as they are', () => {
    const stream =
      ': hello\n\n\nevent: Block\ndata: {"a":1}\ndata: 2\n\ndata\n\ndata: x\n\nid: 7\n\nevent\n\ndatabase: no\n\n';
    fc.assert(
      fc.property(anyCuts, (cuts) => {
        expect(eventsOf(stream, cuts)).toEqual(['Block:{"a":1}\n2', 'message:', 'message:x']);
      }),
    );
    const untouched = Buffer.from('event: Block\ndata: 1\n\n');
    expect(new StreamConformer(ignore).feed(untouched)).toEqual(untouched);
  });

  it('ends a line without end', () => {
    const conformer = new StreamConformer(ignore);
    const endless = Buffer.alloc(700_000, 'x');
    conformer.feed(endless);
    expect(() => conformer.feed(endless)).toThrow(EventStreamOverflow);
  });
});
