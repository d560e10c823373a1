/** The way of `ctl` to the bridge: its API, asked over the socket in its data directory. Bounded in time and bytes. */

import { resolve } from 'node:path';
import { Client } from 'undici';
import { z } from 'zod';
import { type Asked, CommandError, type CommandIo } from '../../cli/line/command.js';
import { userName } from '../../cli/line/user.js';
import { ConfigError } from '../../config/layers/config-error.js';
import type { ConfigOf } from '../../values/setting.js';
import { USER_HEADER } from '../../web/access/control-user.js';
import { controlFault } from '../../web/control-socket.js';
import type { CtlSettings } from './settings.js';
import { controlSocketOf } from './socket.js';

const ANSWER_MS = 60_000;
/** Of what asks nodes for many blocks, or proves the whole of the books. */
const LONG_MS = 3_600_000;
const ANSWER_BYTES = 64 * 1024 * 1024;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface AskedBridge {
  /**
   * What it answers, as it is and as it was read. Throws {@link ConfigError} for what was asked wrongly, and
   * {@link CommandError} for what is refused, or when there is no bridge.
   */
  ask<T extends z.ZodType>(
    shape: T,
    method: Method,
    path: string,
    body?: object,
    takesLong?: boolean,
  ): Promise<{ readonly json: unknown; readonly read: z.output<T> }>;
}

/** A command with a bridge that runs. */
export interface OnBridge<S extends CtlSettings> extends AskedBridge {
  readonly config: ConfigOf<S>;
  readonly words: readonly string[];
  readonly io: CommandIo;
}

/** Resolves with the exit code. */
export async function onBridge<S extends CtlSettings>(
  { load, words, io }: Asked<S>,
  act: (asked: OnBridge<S>) => Promise<number>,
): Promise<number> {
  const { config } = await load();
  const { dataDir } = config as ConfigOf<CtlSettings>;
  return askBridge(dataDir, (ask) => act({ ask, config, words, io }));
}

/** Throws {@link CommandError} where that folder can have no such socket. */
export async function askBridge<T>(
  dataDir: string,
  act: (ask: AskedBridge['ask']) => Promise<T>,
): Promise<T> {
  const socketPath = await controlSocketOf(dataDir);
  const fault = controlFault(socketPath);
  if (fault !== undefined) throw new CommandError(fault);
  const times = { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS };
  const client = new Client('http://ctl', { socketPath, ...times, maxResponseSize: ANSWER_BYTES });
  try {
    return await act(askBy((request) => answerOf(client, socketPath, request)));
  } finally {
    await client.destroy();
  }
}

const REFUSED = z.object({ error: z.string(), refused: z.array(z.string()).optional() });

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly body: object | undefined;
  /** It may take minutes. */
  readonly takesLong: boolean;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

export function askBy(answerOf: (request: Request) => Promise<Answer>): AskedBridge['ask'] {
  return async (shape, method, path, body, takesLong = false) => {
    const { status, json } = await answerOf({ method, path, body, takesLong });
    if (status >= 400) throw refusalOf(status, json);
    const read = shape.safeParse(json);
    if (read.success) return { json, read: read.data };
    throw new CommandError(
      'the bridge is of another version than this command: use the one that it was started with',
    );
  };
}

async function answerOf(
  client: Client,
  socketPath: string,
  { method, path, body, takesLong }: Request,
): Promise<Answer> {
  const user = encodeURIComponent(userName());
  const json = { 'content-type': 'application/json' };
  try {
    const answer = await client.request({
      ...{ method, path, headers: { [USER_HEADER]: user, ...(body ? json : {}) } },
      body: body ? JSON.stringify(body) : null,
      ...(takesLong ? { headersTimeout: LONG_MS } : {}),
    });
    return { status: answer.statusCode, json: await answer.body.json() };
  } catch (error) {
    throw new CommandError(wayFault(error as NodeJS.ErrnoException, socketPath), { cause: error });
  }
}

const NOBODY = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'];
const NOT_ALLOWED = ['EACCES', 'EPERM'];

/** Of what `ask` has thrown: no bridge runs there, or this user may not ask it. */
export function isOutOfReach(error: unknown): boolean {
  const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return error instanceof CommandError && (NOBODY.includes(code) || NOT_ALLOWED.includes(code));
}

/**
 * Of what `ask` has thrown. `nobody`: no bridge listens there. `silent`: one does, and the answer did not come; `undefined` for
 * all that was answered, or that no waiting mends.
 */
export function silenceOf(error: unknown): 'nobody' | 'silent' | undefined {
  const cause =
    error instanceof CommandError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (!cause || NOT_ALLOWED.includes(cause.code ?? '')) return undefined;
  return NOBODY.includes(cause.code ?? '') ? 'nobody' : 'silent';
}

function wayFault({ code = '', message }: NodeJS.ErrnoException, socketPath: string): string {
  const folder = resolve(socketPath, '..', '..');
  if (NOBODY.includes(code))
    return `no bridge runs with the data directory ${folder}: start one with \`stratum-bridge serve\`, or name that of the one that runs with --data-dir or --config. Where one runs all the same, its log says why it has no socket`;
  if (NOT_ALLOWED.includes(code))
    return `${socketPath} is for the user of the bridge alone: run this as that user`;
  return `the bridge at ${socketPath} does not answer: ${message}`;
}

function refusalOf(status: number, json: unknown): Error {
  const { error = `it answers with ${status}`, refused = [] } = REFUSED.safeParse(json).data ?? {};
  if (status === 400) return new ConfigError([error]);
  return new CommandError([error, ...refused].join('\n  '));
}
