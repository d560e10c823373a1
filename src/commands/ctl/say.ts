/** What came of an order: a sentence for people, the bridge's own answer for programs. */

import { OK } from '../../cli/line/command.js';
import { printable } from '../../core/names/names.js';
import type { OnBridge } from './bridge.js';
import type { CtlSettings } from './settings.js';

/** @param sentences with names that came from rigs, whom no terminal is to obey. */
export function say(
  json: unknown,
  sentences: readonly string[],
  { config, io: { stdout } }: Pick<OnBridge<CtlSettings>, 'config' | 'io'>,
): number {
  const isForPrograms = config.json || !stdout.isTTY;
  const lines = isForPrograms ? [JSON.stringify(json, null, 2)] : sentences.map(printable);
  stdout.write(lines.map((line) => `${line}\n`).join(''));
  return OK;
}
