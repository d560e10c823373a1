/** The node as its users start it: the compiled program on free ports, with addresses from its ready line. */
import { type Program, startProgram } from '../helpers/processes/program.js';

export interface NodeProcess extends AsyncDisposable {
  /** Base address of the interface. */
  readonly url: string;
  /** Scheme, host and port alone. */
  readonly rootUrl: string;
  /** Base address of the peer port: the same but on profile chainweb. */
  readonly peerUrl: string;
  /** Empty without `--control`. */
  readonly controlUrl: string;
  readonly program: Program;
}

/** Blocks of a few hashes that stay that easy. */
export const EASY_FLAGS = ['--genesis-difficulty', '4', '--block-delay-ms', '1'] as const;

/** A node with mining on and easy blocks; flags come behind these and win. */
export function startEasyProcess(...flags: readonly string[]): Promise<NodeProcess> {
  return startNodeProcess('--mining', ...EASY_FLAGS, ...flags);
}

/** A node with nothing but a free port and these flags. Ends with its scope. */
export async function startNodeProcess(...flags: readonly string[]): Promise<NodeProcess> {
  const program = startProgram(['node', '--listen', '127.0.0.1:0', ...flags]);
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
