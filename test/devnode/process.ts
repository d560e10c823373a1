/** A node by the flags of its command, on free ports: in this process, or as its users start it. */

import { NODE_SETTINGS } from '../../src/commands/node/settings.js';
import { startDevNode } from '../../src/devnode/server.js';
import { settingsIn } from '../../src/devnode/settings.js';
import { type Program, startProgram } from '../helpers/processes/program.js';
import { loadConfig } from '../helpers/stories/load-config.js';

export interface NodeHere extends AsyncDisposable {
  /** Base address of the interface. */
  readonly url: string;
  /** Scheme, host and port alone. */
  readonly rootUrl: string;
  /** Base address of the peer port: the same but on profile chainweb. */
  readonly peerUrl: string;
  /** Empty without `--control`. */
  readonly controlUrl: string;
}

export interface NodeProcess extends NodeHere {
  readonly program: Program;
}

const ANY_PORT = ['--listen', '127.0.0.1:0'] as const;

/** Blocks of a few hashes that stay that easy. */
export const EASY_FLAGS = ['--genesis-difficulty', '4', '--block-delay', '1ms'] as const;

/** A node in this process with nothing but a free port and these flags: a process of its own is half a second of a processor. */
export async function startNodeHere(...flags: readonly string[]): Promise<NodeHere> {
  const { config } = loadConfig(NODE_SETTINGS, { argv: [...ANY_PORT, ...flags] });
  const node = await startDevNode(settingsIn(config));
  return {
    url: node.url,
    rootUrl: new URL(node.url).origin,
    peerUrl: config['devnode.profile'] === 'chainweb' ? node.peerUrl : node.url,
    controlUrl: node.controlUrl ?? '',
    [Symbol.asyncDispose]: () => node.close(),
  };
}

/** The same with mining on and easy blocks; flags come behind these and win. */
export function startEasyHere(...flags: readonly string[]): Promise<NodeHere> {
  return startNodeHere('--mining', ...EASY_FLAGS, ...flags);
}

/** A process with mining on and easy blocks; flags come behind these and win. */
export function startEasyProcess(...flags: readonly string[]): Promise<NodeProcess> {
  return startNodeProcess('--mining', ...EASY_FLAGS, ...flags);
}

/** A process with nothing but a free port and these flags. Ends with its scope. */
export async function startNodeProcess(...flags: readonly string[]): Promise<NodeProcess> {
  const program = startProgram(['node', ...ANY_PORT, ...flags]);
  const { url, peer, control } = await program.ready();
  return {
    url: String(url),
    rootUrl: new URL(String(url)).origin,
    peerUrl: String(peer ?? url),
    controlUrl: String(control ?? ''),
    program,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
