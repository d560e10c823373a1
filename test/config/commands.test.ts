/** Every command is told by flags, variables and one file that serves all of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';

const SHARED = `
stratum: {tcp: "off"}
ledger: {databaseUrl: "postgres://me:S3cret@127.0.0.1:1/x"}
rig: {urls: [ws://127.0.0.1:1], threads: 1}
devnode: {listen: nowhere}
log: {level: warn}
`;

describe('one file for all commands', () => {
  it.each([
    ['rig', [], /^stratum-bridge: --user is needed/],
    [
      'rig',
      ['--urls', 'http://x', '--user', 'a'],
      /^stratum-bridge: rig\.urls: "http:\/\/x" \(flag --urls\)/,
    ],
    ['node', [], /^stratum-bridge: devnode\.listen: "nowhere" \(file .*shared\.yaml\) is no address/],
    ['serve', [], /^stratum-bridge: miner\.account is not set/],
    ['recorder', ['--ledger-database-url', ''], /^stratum-bridge: ledger\.databaseUrl is not set/],
  ])('%s %j takes its own part of it', async (name, argv, expected) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'shared.yaml');
    await writeFile(path, SHARED);
    for (const [words, env] of [
      [['--config', path], {}],
      [[], { STRATUM_BRIDGE_CONFIG: path }],
    ] as const) {
      const { code, stderr } = await runHere(name, [...argv, ...words], env);
      expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
      expect(stderr).not.toContain('S3cret');
      // What is wrong, and where to look further: nothing is said of the other commands' parts.
      expect(stderr.trim().split('\n')).toHaveLength(2);
    }
  });
});

describe('variables', () => {
  it('of rig and node win over the file, and flags over them', async () => {
    const rig = await runHere('rig', ['--urls', 'ws://127.0.0.1:1'], { STRATUM_BRIDGE_RIG_THREADS: 'many' });
    expect([rig.code, rig.stderr]).toEqual([
      2,
      expect.stringContaining('rig.threads: "many" (variable STRATUM_BRIDGE_RIG_THREADS) is no whole number'),
    ]);
    const devnode = { STRATUM_BRIDGE_DEVNODE_LISTEN: 'nowhere', STRATUM_BRIDGE_DEVNODE_GRAPH: 'square' };
    const node = await runHere('node', ['--listen', 'here'], devnode);
    expect(node.stderr).toContain('devnode.listen: "here" (flag --listen) is no address');
    expect(node.stderr).toContain(
      'devnode.graph: "square" (variable STRATUM_BRIDGE_DEVNODE_GRAPH) is none of',
    );
  });

  it('a secret in a file serves ledger, which tells where it comes from', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'database');
    await writeFile(path, 'postgres://me:S3cret@127.0.0.1:1/x\n');
    const env = { STRATUM_BRIDGE_LEDGER_DATABASE_URL_FILE: path };
    const { code, stderr } = await runHere('ledger', ['accounts'], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^stratum-bridge: ledger\.databaseUrl: "postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/x" \(file .*database \(variable STRATUM_BRIDGE_LEDGER_DATABASE_URL_FILE\)\) .*ECONNREFUSED/,
      ),
    ]);
  });
});
