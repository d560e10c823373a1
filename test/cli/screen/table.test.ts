/** Tables for people, as wide as their window, and CSV for programs. */
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { table } from '../../../src/cli/screen/table.js';
import type { Columns } from '../../../src/operations/entry/columns.js';
import { csv } from '../../../src/operations/entry/csv.js';

interface Row {
  readonly account: string;
  readonly rig?: string;
  readonly shares: number;
  readonly work: string;
  readonly balance: string;
  readonly at: string;
  readonly note: string;
}

const COLUMNS = {
  account: { kind: 'name', importance: 1 },
  rig: { kind: 'name', importance: 5 },
  shares: { kind: 'count', importance: 3 },
  work: { kind: 'hashes', importance: 4 },
  balance: { kind: 'amount', importance: 1 },
  at: { kind: 'time', importance: 6, heading: 'last (UTC)' },
  note: { kind: 'text', importance: 7 },
} satisfies Columns<Row>;

const ACCOUNT = `k:${'0123456789abcdef'.repeat(4)}`;

function row(more: Partial<Row> = {}): Row {
  return {
    ...{ account: 'alice', rig: 'attic', shares: 12, work: '4194304', balance: '20.000000000000' },
    ...{ at: '2026-11-22T11:05:46.123Z', note: 'as it is' },
    ...more,
  };
}

describe('C18: tables', () => {
  it('C18: numbers stand at the right with their units, and no digit of an amount is lost', () => {
    const rows = [
      row(),
      row({ account: 'bob', rig: 'x', shares: 1234, work: '9e15', balance: '-0.000000000001' }),
    ];
    expect(table(rows, COLUMNS).split('\n')).toEqual([
      'account  rig    shares     work          balance  last (UTC)           note',
      'alice    attic      12  4.19 MH  20.000000000000  2026-11-22 11:05:46  as it is',
      'bob      x        1234  9.00 PH  -0.000000000001  2026-11-22 11:05:46  as it is',
      '',
    ]);
    const amounts = ['100.000000000000', '0.500000000000', ''].map((balance) => ({ balance }));
    expect(table(amounts, { balance: COLUMNS.balance })).toBe('balance\n  100.0\n    0.5\n\n');
  });

  it.each([26, 30, 40, 60, 79, 80, 100, 132, 250])(
    'C18: none is wider than a window of %i columns',
    (room) => {
      const rows = [
        row({ account: ACCOUNT, note: 'a long note '.repeat(9) }),
        row({ rig: '矿机'.repeat(9) }),
      ];
      const lines = table(rows, COLUMNS, room).split('\n');
      expect(lines.filter((line) => stringWidth(line) > room)).toEqual([]);
      expect(lines[0]).toContain('account');
      expect(lines[0]).toContain('balance');
    },
  );

  it('C18: leaves out what matters least, says so, and cuts names in their middle', () => {
    const rows = [row({ account: ACCOUNT })];
    expect(table(rows, COLUMNS, 60).split('\n')).toEqual([
      'account                      rig    shares     work  balance',
      'k:0123456789a…3456789abcdef  attic      12  4.19 MH       20',
      '',
      '--wide also shows: last (UTC), note',
      '',
    ]);
    expect(table(rows, COLUMNS)).toContain(ACCOUNT);
    expect(table(rows, COLUMNS, 400)).not.toContain('--wide');
    expect(table([], COLUMNS, 80)).toBe('none\n');
  });

  it('says in full below what has no room, where that is asked for', () => {
    const columns: Columns<Row> = {
      rig: { kind: 'name', importance: 1 },
      note: { kind: 'text', importance: 1, inFull: true },
    };
    const note = 'why it stands still, and what to order';
    const rows = [row({ rig: 'attic', note }), row({ rig: 'cellar', note: '' })];
    expect(table(rows, columns, 30).split('\n').slice(3)).toEqual(['', `rig attic: ${note}`, '']);
    expect(table(rows, columns, 60)).not.toContain('rig attic:');
  });

  it('takes as many rows as `ledger` may be asked for', () => {
    const { account, balance } = COLUMNS;
    const rows = Array.from({ length: 150_000 }, () => ({ account: 'a', balance: '1.5' }));
    expect(table(rows, { account, balance }, 80)).toHaveLength(
      rows.length * 'a            1.5\n'.length + 17,
    );
    expect(csv(rows, { account, balance })).toHaveLength(
      'account,balance\r\n'.length + rows.length * 'a,1.5\r\n'.length,
    );
  });

  it('R18: names with escape sequences are printed harmless', () => {
    const text = table([row({ account: 'a\u001b[2J\u009b31m', rig: 'r\nr\u202e', at: 'x\u0007' })], COLUMNS);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('a\\u{1b}[2J\\u{9b}31m');
    expect(text).toContain('r\\u{a}r\\u{202e}');
    expect(text).toContain('x\\u{7}');
  });
});

describe('C18: CSV', () => {
  it('C18: has every column and every digit, quoted as RFC 4180 asks', () => {
    const { rig: _, ...without } = row({
      work: '340282366920938463463374607431768211456',
      note: 'a "b",\nc',
    });
    expect(csv([without], COLUMNS)).toBe(
      'account,rig,shares,work,balance,at,note\r\n' +
        'alice,,12,340282366920938463463374607431768211456,20.000000000000,2026-11-22T11:05:46.123Z,"a ""b"",\nc"\r\n',
    );
    expect(csv([], COLUMNS)).toBe('account,rig,shares,work,balance,at,note\r\n');
  });

  it('C18: no name is run as a formula, and a number below zero stays a number', () => {
    const text = csv(
      [row({ account: '=1+1', rig: '@SUM(A1)', note: '-2+3', balance: '-0.500000000000' })],
      COLUMNS,
    );
    expect(text.split('\r\n')[1]).toBe(
      '" =1+1"," @SUM(A1)",12,4194304,-0.500000000000,2026-11-22T11:05:46.123Z," -2+3"',
    );
    // Where a number was to be, and something else came.
    expect(csv([row({ work: '-1|cmd' })], COLUMNS)).toContain('," -1|cmd",');
  });
});
