/** Commands that pages tell people to type, compared with those that there are. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allFlags } from '../../../src/cli/line/options.js';
import { PROGRAM, type Request, readLine } from '../../../src/cli/line/read.js';
import { COMMANDS, ROOT as PROGRAM_ROOT } from '../../../src/commands/commands.js';
import { environmentName, fileVariableName, flagName } from '../../../src/config/names.js';
import { EVERY_SETTING } from '../../../src/config/settings.js';
import { type Page, ROOT } from './pages.js';

/** Stands for what people put in its place. */
const PLACEHOLDER = /…|[A-Z]{2}/;
/** Of npm itself, which is told about as well. */
const NPM_COMMANDS = ['ci', 'install', 'pack', 'link', 'rebuild', 'prune', 'approve-scripts'];
const NPM_FLAGS = ['ignore-scripts', 'omit'];

/** Words of each command of ours or of npm that a page names, in blocks and between backticks. */
function commandsIn(page: Page): string[][] {
  const typed = page.blocks.filter(({ language }) => language === '' || language === 'sh');
  const lines = typed.flatMap(({ lines }) => lines.join('\n').replaceAll('\\\n', ' ').split('\n'));
  return [...lines, ...page.inline]
    .map((line) => line.replace(/^\$ /, '').replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|\||;|\s>\s/))
    .map((part) => fromProgramOn(part.trim().split(/\s+/)))
    .filter(([first = '']) => first === PROGRAM || first === 'npm');
}

/** Without `npx`, or what runs it elsewhere: `docker compose exec bridge stratum-bridge doctor`. */
function fromProgramOn(words: string[]): string[] {
  const at = words.findIndex((word, i) => word === PROGRAM && Object.hasOwn(COMMANDS, words[i + 1] ?? ''));
  if (at > 0) return words.slice(at);
  return words[0] === 'npx' ? words.slice(1) : words;
}

/** Commands and flags that do not exist, and values that no flag takes. */
export function commandFaults(page: Page): string[] {
  return commandsIn(page).flatMap(([program, ...words]) => {
    const fault = program === 'npm' ? npmFault(words) : lineFault(words);
    return fault === undefined ? [] : [`${page.path}: ${[program, ...words].join(' ')}: ${fault}`];
  });
}

function npmFault([first = '', second = '']: readonly string[]): string | undefined {
  if (NPM_COMMANDS.includes(first)) return undefined;
  const script = first === 'run' ? second : first;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  return Object.hasOwn(scripts, script) ? undefined : `there is no script ${script}`;
}

/** What the program itself would say of these words. */
function lineFault(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  if (PLACEHOLDER.test(first)) return undefined;
  const line = readLine({ root: PROGRAM_ROOT, version: '', width: 80 }, words);
  if (line.kind === 'told') return undefined;
  if (line.kind === 'request') return valueFault(line);
  // Somebody may only name a command that wants more words.
  return line.at === words.join(' ') ? undefined : line.problems.join('; ');
}

function valueFault({ command: { settings = {} }, flags }: Request): string | undefined {
  const faulty = Object.entries(settings).find(([key, { type, default: byDefault }]) => {
    const given = flags[flagName(key)];
    return given !== undefined && !isPlaceholder(given) && !type(byDefault).safeParse(given).success;
  });
  return faulty && `--${flagName(faulty[0])} takes no ${flags[flagName(faulty[0])]}`;
}

function isPlaceholder(given: unknown): boolean {
  return PLACEHOLDER.test(String(given));
}

/** Flags, keys of settings and variables between backticks that do not exist. */
export function nameFaults(page: Page): string[] {
  return page.inline.filter((code) => !isKnown(code)).map((code) => `${page.path}: there is no ${code}`);
}

const KEYS = Object.keys(EVERY_SETTING);
const SECTIONS = new Set(KEYS.map((key) => key.split('.')[0] ?? ''));
const VARIABLES = new Set([
  ...KEYS.map(environmentName),
  ...Object.entries(EVERY_SETTING).map(([key, setting]) => fileVariableName(key, setting)),
]);
/** Of the signer that is shipped. */
const SIGNER_FLAGS = Array.from(
  readFileSync(join(ROOT, 'config/signer.js'), 'utf8').matchAll(/^ {2}'?([a-z-]+)'?: \{ type: /gm),
  ([, flag = '']) => flag,
);
/** `--flag` stands for any of them. */
const FLAGS = new Set([
  ...allFlags(PROGRAM_ROOT).flatMap(({ flag, isBoolean }) => (isBoolean ? [flag, `no-${flag}`] : [flag])),
  ...['help', 'help-all', 'version', 'flag', 'no-flag', ...NPM_FLAGS, ...SIGNER_FLAGS],
]);

function isKnown(code: string): boolean {
  const [word = '', ...rest] = code.split(/[\s,=]+/);
  if (/^--[a-z]/.test(word)) {
    const flags = [word, ...rest].filter((each) => each.startsWith('--'));
    return flags.every((flag) => FLAGS.has(flag.slice(2)));
  }
  if (/^STRATUM_BRIDGE_[A-Z]/.test(word)) return VARIABLES.has(word);
  return !isLikeKey(word) || KEYS.some((key) => key === word || key.startsWith(`${word}.`));
}

function isLikeKey(word: string): boolean {
  return (
    /^[a-z]+(\.[a-zA-Z]+)+$/.test(word) && SECTIONS.has(word.split('.')[0] ?? '') && !word.endsWith('.ts')
  );
}
