/** Completion: what may come next, and real shells that ask for it. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { candidatesFor } from '../../../src/cli/line/completion/candidates.js';
import { SCRIPTS, type Shell } from '../../../src/cli/line/completion/scripts.js';
import { COMMANDS, ROOT } from '../../../src/commands/commands.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { findPrograms } from '../../helpers/processes/debian.js';
import { MAIN } from '../../helpers/processes/program.js';

/** A blank at the end begins another word. */
function complete(line: string): readonly string[] | string {
  const found = candidatesFor(ROOT, line.split(' '));
  return typeof found === 'string' ? found : found.map(({ word }) => word);
}

describe('what may come next', () => {
  it.each([
    ['', Object.keys(COMMANDS)],
    ['co', ['config', 'completion']],
    ['ledger queue ', ['list', 'retry', 'drop']],
    ['ledger --json pay', ['payout']],
    ['ledger --note dump ', Object.keys(COMMANDS['ledger']?.commands ?? {})],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['ledger payout mark 7 ', ['sent', 'confirmed', 'failed', 'unknown']],
    ['ledger payout mark 7 f', ['failed']],
    ['ledger payout mark ', []],
    ['serve --cpu a', ['always']],
    ['serve --cpu=a', ['--cpu=always']],
    ['serve --cpu = a', ['always']],
    ['serve --log-level ', ['debug', 'info', 'warn', 'error', 'silent']],
    ['serve --account ', []],
    ['serve --config ', 'files'],
    ['serve --data-dir x', 'folders'],
    ['ledger restore ', 'files'],
    ['ledger restore --json ', 'files'],
    ['serve --no-rec', ['--no-recorder']],
    ['serve --share-dif', ['--share-difficulty']],
    ['keygen --', ['--out', '--help']],
    ['constructor ', Object.keys(COMMANDS)],
    ['serve --constructor=', []],
  ])('%j', (line, expected) => {
    expect(complete(line)).toEqual(expected);
  });

  it('is the few flags that people need, and behind a dash every one', () => {
    expect(complete('serve ')).toEqual(expect.arrayContaining(['--account', '--tcp', '--config']));
    expect(complete('serve ')).not.toContain('--vardiff-max');
    expect(complete('serve --')).toContain('--vardiff-max');
  });
});

/** Runs `script` in a shell that has loaded the completion, with a program of that name on its path. */
async function inShell(shell: Shell, script: string): Promise<string[]> {
  await using folder = await temporaryFolder();
  const program = join(folder.path, 'stratum-bridge');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await chmod(program, 0o755);
  await writeFile(join(folder.path, 'bridge.yaml'), '');
  await mkdir(join(folder.path, 'data'));
  const whole = join(folder.path, `script.${shell}`);
  await writeFile(whole, `${script}\n`);
  await writeFile(join(folder.path, `loaded.${shell}`), SCRIPTS[shell]);
  const { stdout, stderr, error } = spawnSync(shell, [...FLAGS[shell], whole], {
    cwd: folder.path,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${folder.path}:${process.env['PATH']}`,
      HOME: folder.path,
      XDG_CONFIG_HOME: folder.path,
    },
  });
  if (error) throw error;
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

const FLAGS: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc'],
  zsh: ['-f'],
  fish: ['--no-config'],
};
/** Why it is not there; its Debian package has its name. */
const wanting = (shell: Shell) => findPrograms(`completion in ${shell}`, [shell], shell);

describe.skipIf((await wanting('bash')) !== undefined)('bash', () => {
  /** As bash does it: words parted at = as well. */
  const ask = (...words: string[]) =>
    inShell(
      'bash',
      `source loaded.bash
complete -p stratum-bridge | grep -q _stratum_bridge || echo 'not loaded'
compopt() { :; } # only while bash itself completes
COMP_WORDS=(stratum-bridge ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_stratum_bridge; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );

  it('completes commands, flags, fixed values and files', async () => {
    expect(await ask('led')).toEqual(['ledger']);
    expect(await ask('ledger', 'queue', '')).toEqual(['list', 'retry', 'drop']);
    expect(await ask('serve', '--cpu', '=', 'al')).toEqual(['always']);
    expect(await ask('serve', '--cpu', '=')).toContain('fallback');
    expect(await ask('serve', '--share-dif')).toEqual(['--share-difficulty']);
    expect(await ask('serve', '--config', 'bri')).toEqual(['bridge.yaml']);
    expect(await ask('serve', '--data-dir', '')).toEqual(['data']);
    expect(await ask('serve', '--account', '')).toEqual([]);
  });
});

describe.skipIf((await wanting('zsh')) !== undefined)('zsh', () => {
  /** What it would offer, told in place of a menu. */
  const ask = (...words: string[]) =>
    inShell(
      'zsh',
      `compdef() { [[ "$*" == '_stratum_bridge stratum-bridge' ]] || print 'not loaded'; }
_describe() { print -l -- "\${(@P)2}"; }
_files() { if [[ $1 == -/ ]]; then print -l -- *(/); else print -l -- *(.); fi; }
source ./loaded.zsh
words=(stratum-bridge ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}
_stratum_bridge`,
    );

  it('completes commands with what they do, flags, fixed values and files', async () => {
    expect(await ask('led')).toEqual([expect.stringMatching(/^ledger:show accounts/)]);
    expect(await ask('ledger', 'queue', '')).toHaveLength(3);
    expect(await ask('serve', '--cpu', 'al')).toEqual(['always:']);
    expect(await ask('serve', '--share-dif')).toEqual([expect.stringMatching(/^--share-difficulty:/)]);
    expect(await ask('serve', '--config', '')).toContain('bridge.yaml');
    expect(await ask('serve', '--data-dir', '')).toEqual(['data']);
  });
});

describe.skipIf((await wanting('fish')) !== undefined)('fish', () => {
  /** Asked as a person does who presses the tabulator. */
  const ask = (line: string) => inShell('fish', `source loaded.fish; complete -C 'stratum-bridge ${line}'`);

  it('completes commands with what they do, flags, fixed values and files', async () => {
    expect(await ask('led')).toEqual([expect.stringMatching(/^ledger\tshow accounts/)]);
    expect(await ask('ledger queue ')).toHaveLength(3);
    expect(await ask('serve --cpu al')).toEqual([expect.stringMatching(/^always/)]);
    expect(await ask('serve --share-dif')).toEqual([expect.stringMatching(/^--share-difficulty\t/)]);
    expect(await ask('serve --config bri')).toEqual([expect.stringMatching(/^bridge\.yaml/)]);
    expect(await ask('serve --data-dir d')).toEqual([expect.stringMatching(/^data\//)]);
  });
});

it('loads each script from the program', () => {
  for (const [shell, script] of Object.entries(SCRIPTS)) {
    const { stdout, status } = spawnSync(process.execPath, [MAIN, 'completion', shell], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, script]);
  }
});
