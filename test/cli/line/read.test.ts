/** What a command line says: commands and flags in any order, one kind of boolean, and a sentence for what is wrong. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/cli/line/command.js';
import { allFlags, flagsOf } from '../../../src/cli/line/options.js';
import { type Misuse, type Request, readLine } from '../../../src/cli/line/read.js';
import { COMMANDS, ROOT } from '../../../src/commands/commands.js';

const read = (line: string) =>
  readLine({ root: ROOT, version: '1.2.3', width: 80 }, line.split(' ').filter(Boolean));

function asked(line: string): Pick<Request, 'at' | 'words' | 'flags'> {
  const result = read(line);
  if (result.kind !== 'request') return expect.fail(JSON.stringify(result));
  const { at, words, flags } = result;
  return { at, words, flags };
}

function misuse(line: string): Misuse {
  const result = read(line);
  return result.kind === 'misuse' ? result : expect.fail(JSON.stringify(result));
}

describe('commands, words and flags', () => {
  it.each([
    'ledger --json accounts --limit 5',
    'ledger accounts --json --limit=5',
    '--json --limit 5 ledger accounts',
    '--limit=5 ledger --json accounts',
  ])('C18: stand in any order: %s', (line) => {
    expect(asked(line)).toEqual({ at: 'ledger accounts', words: [], flags: { json: true, limit: '5' } });
  });

  it('nest, and take words of their own between their flags', () => {
    expect(asked('ledger payout mark 7 --note TX sent')).toEqual({
      at: 'ledger payout mark',
      words: ['7', 'sent'],
      flags: { note: 'TX' },
    });
    expect(asked('ledger entry')).toEqual({ at: 'ledger entry', words: [], flags: {} });
    expect(asked('ledger entry retry')).toEqual({ at: 'ledger entry retry', words: [], flags: {} });
  });

  it('keeps the flags of a file, what repeats and what begins with a dash', () => {
    expect(asked('serve --node-urls a --config x.yaml --node-urls=b').flags).toEqual({
      'node-urls': ['a', 'b'],
      config: 'x.yaml',
    });
    expect(asked('rig --password -x --user a').flags).toEqual({ password: '-x', user: 'a' });
    expect(asked('serve --stratum-tcp 1 --stratum-tcp 2').flags).toEqual({ 'stratum-tcp': '2' });
    expect(asked('node --accounts new --accounts new=5').flags).toEqual({ accounts: ['new', 'new=5'] });
    expect(asked('--miner-account a serve --miner-account b').flags).toEqual({ 'miner-account': 'b' });
    expect(asked('ledger dump -- --json').words).toEqual(['--json']);
  });

  it('switches by --flag and --no-flag alone, and says so to who writes --flag false', () => {
    expect(asked('serve --queue-recorder').flags).toEqual({ 'queue-recorder': true });
    expect(asked('serve --queue-recorder --no-queue-recorder').flags).toEqual({ 'queue-recorder': false });
    for (const word of ['true', 'false'])
      expect(read(`serve --queue-recorder=${word}`)).toMatchObject({
        problems: [
          `--queue-recorder=${word}: it is switched on by --queue-recorder, and off by --no-queue-recorder`,
        ],
      });
    expect(read('serve --queue-recorder false')).toMatchObject({
      problems: [expect.stringContaining("too many arguments for 'serve'")],
    });
    expect(asked('ledger dump --json books.dump')).toMatchObject({
      words: ['books.dump'],
      flags: { json: true },
    });
  });

  it('tells the version everywhere, and runs nothing', () => {
    for (const line of ['--version', '-v', 'serve -v', 'ledger payout mark --version', 'rig --user a -v']) {
      expect(read(line)).toEqual({ kind: 'told', text: '1.2.3\n' });
    }
  });
});

describe('what is wrong', () => {
  it.each([
    ['dance', '', 'there is no command "dance"; there are demo, serve, status, web, ctl'],
    ['servee --cpu-mode off', '', 'there is no command "servee"; did you mean serve?'],
    ['ledger acounts', 'ledger', 'there is no command "acounts"; did you mean accounts?'],
    ['ledger', 'ledger', 'ledger needs a command: accounts, account, statement'],
    ['ledger payout --json', 'ledger payout', 'ledger payout needs a command: prepare, show, mark'],
    ['help foo', '', 'there is no command "foo"'],
    ['help ledger foo', 'ledger', 'there is no command "foo"'],
    ['foo --help', '', 'there is no command "foo"'],
    ['serve --tpc 1', 'serve', 'serve takes no --tpc; did you mean --stratum-tcp?'],
    ['serve --tpc=1', 'serve', 'serve takes no --tpc; did you mean --stratum-tcp?'],
    ['serve --share-difficulty 1', 'serve', 'did you mean --stratum-share-difficulty?'],
    ['serve --hepl', 'serve', 'serve takes no --hepl; did you mean --help?'],
    ['serve -stratum-tcp 1', 'serve', 'serve takes no -stratum-tcp; write --stratum-tcp <HOST:PORT>'],
    ['serve --no-stratum-tcp', 'serve', 'serve takes no --no-stratum-tcp; write --stratum-tcp <HOST:PORT>'],
    ['serve --limit 5', 'serve', 'serve takes no --limit'],
    ['ledger --limit 5 verify', 'ledger verify', 'ledger verify takes no --limit'],
    ['--bogus serve', 'serve', 'there is no flag --bogus'],
    ['ledger --bogus accounts', 'ledger accounts', 'ledger takes no --bogus'],
    ['keygen --config x', 'keygen', 'keygen takes no --config'],
    ['serve --miner-account', 'serve', "option '--miner-account <NAME>' argument missing"],
    [
      'serve --miner-account --node-urls x',
      'serve',
      "option '--miner-account <NAME>' argument '--node-urls' is invalid. It is a flag itself.",
    ],
    [
      'serve --queue-recorder=maybe',
      'serve',
      '--queue-recorder=maybe: it is switched on by --queue-recorder, and off by --no-queue-recorder',
    ],
    ['serve --queue-recorder maybe', 'serve', "too many arguments for 'serve'"],
    ['ledger dump', 'ledger dump', "missing required argument 'file'"],
    ['ledger payout mark 7', 'ledger payout mark', "missing required argument 'outcome'"],
    ['ledger dump a b', 'ledger dump', "too many arguments for 'dump'"],
  ])('%s', (line, at, sentence) => {
    const { problems, ...found } = misuse(line);
    expect(found.at).toBe(at);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('C18: %s is nothing', (name) => {
    expect(misuse(name).problems).toEqual([expect.stringContaining(`there is no command "${name}"`)]);
    expect(misuse(`ledger ${name}`).problems).toEqual([
      expect.stringContaining(`there is no command "${name}"`),
    ]);
    expect(misuse(`ledger payout ${name} 7`).problems).toEqual([
      expect.stringContaining(`no command "${name}"`),
    ]);
    expect(misuse(`serve --${name} x`).problems).toEqual([`serve takes no --${name}`]);
    expect(misuse(`--${name}=x`).problems).toEqual([`there is no flag --${name}`]);
    expect(asked(`ledger dump ${name}`).words).toEqual([name]);
  });
});

describe('declarations', () => {
  const leaves = (name: string, command: Command): [string, Command][] => [
    [name, command],
    ...Object.entries(command.commands ?? {}).flatMap(([word, nested]) => leaves(`${name} ${word}`, nested)),
  ];
  const every = Object.entries(COMMANDS).flatMap(([name, command]) => leaves(name, command));

  it('give one flag one kind in all commands, since it is read before the command is known', () => {
    const kinds = new Map(allFlags(ROOT).map((flag) => [flag.flag, flag]));
    for (const [name, command] of every) {
      for (const { flag, isBoolean = false } of flagsOf(command)) {
        const { isBoolean: switched = false } = kinds.get(flag) ?? {};
        expect([name, flag, isBoolean]).toEqual([name, flag, switched]);
      }
    }
  });

  it('name each flag once', () => {
    for (const [name, command] of every) {
      const flags = flagsOf(command).map(({ flag }) => flag);
      expect([name, ...new Set(flags)]).toEqual([name, ...flags]);
      expect([name, command.run !== undefined || command.commands !== undefined]).toEqual([name, true]);
    }
  });
});
