/** `serve --processes` as a user runs it, on a node that mines nothing by itself. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { runHere } from '../processes/command.js';
import { freePorts } from '../processes/ports.js';
import { type Program, runProgram, startProgram } from '../processes/program.js';

export const ACCOUNT = `k:${'ab'.repeat(32)}`;
/** Agents of rigs that go where they are asked to. */
const SETTINGS = 'stratum:\n  agents: [{ agent: wandering, takesReconnect: true }]\n';

export interface ProcessesStory extends AsyncDisposable {
  readonly dataDir: string;
  /** Of settings, which it may be given anew. */
  readonly file: string;
  readonly settings: string;
  /** Of rigs, over TCP. */
  readonly port: number;
  readonly webUrl: string;
  serve(processes: number | 'off', more?: readonly string[]): Program;
  replace(): Promise<{ readonly code: number | NodeJS.Signals; readonly said: string }>;
  /** What a command prints as JSON. */
  ask(command: string, ...words: string[]): Promise<unknown>;
  /** Shares of all accounts in the books. */
  booked(): Promise<number>;
  /** Of the bridge in that folder. */
  pidOf(folder: number): number;
}

export async function startProcessesStory(folder: string): Promise<ProcessesStory> {
  const node = await startDevNode();
  const [port = 0, web = 0] = await freePorts(2);
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'bridge.yaml')];
  await writeFile(file, SETTINGS);
  const ask = async (command: string, ...words: string[]): Promise<unknown> => {
    const { code, text, stderr } = await runHere(command, [...words, '--json', '--data-dir', dataDir]);
    if (code !== 0) throw new Error(`${command} ${words.join(' ')}: ${stderr}`);
    return JSON.parse(text);
  };
  return {
    ...{ dataDir, file, settings: SETTINGS, port, webUrl: `http://127.0.0.1:${web}`, ask },
    serve: (processes, more = []) =>
      startProgram([
        ...['serve', '--config', file, '--node-urls', node.url, '--miner-account', ACCOUNT],
        ...['--data-dir', dataDir, '--stratum-share-difficulty', '16', '--cpu-mode', 'off'],
        ...['--stratum-tcp', `127.0.0.1:${port}`, '--stratum-ws', 'off'],
        ...['--web-listen', `127.0.0.1:${web}`, '--processes', String(processes), ...more],
      ]),
    replace: async () => {
      const { code, text, stderr } = await runProgram(['serve', '--replace', '--data-dir', dataDir]);
      return { code, said: text + stderr };
    },
    booked: async () => {
      const accounts = (await ask('ledger', 'accounts')) as { readonly shares: number }[];
      return accounts.reduce((sum, { shares }) => sum + shares, 0);
    },
    pidOf: (number) =>
      Number.parseInt(readFileSync(join(dataDir, String(number), 'bridge.lock'), 'utf8'), 10),
    [Symbol.asyncDispose]: () => node.close(),
  };
}
