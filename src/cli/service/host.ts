/** One life for every command that runs on: settings, checks, start, ready, reload, stop, exit code. */
import type { Logger } from 'pino';
import { ConfigError } from '../../config/layers/config-error.js';
import { type CommandIo, FAILED, OK } from '../line/command.js';
import { createScreen, type Screen } from '../screen/screen.js';
import { type AnyLoaded, Reloader, type ServiceSettings, type Told } from './reload.js';
import { type Stop, watchForReload, watchForStop } from './signals.js';
import { CloseStack, STOP_LIMIT_MS, startUnlessStopped, stopInOrder } from './stop.js';

/** Of what the command was asked. */
interface Asked<L extends AnyLoaded> {
  readonly io: CommandIo;
  /** Reads the settings, each time anew. Rejects with {@link ConfigError}. */
  load(): Promise<L>;
  /** What each line of the log has beside the rest. */
  readonly says?: object;
}

/** What a command is beside its settings. */
export interface Service<L extends AnyLoaded> {
  /** What is wrong between settings and in the files that they name; before anything is opened, and before a reload. */
  check?(loaded: L): readonly string[] | Promise<readonly string[]>;
  /**
   * Starts all parts, and adds each to `open` as soon as it stands: those are closed when the start fails or is interrupted.
   *
   * @param settings for a part that shows them, or takes the order to read them again.
   */
  start(
    loaded: L,
    log: Logger,
    open: CloseStack,
    settings: ServiceSettings<L>,
  ): Promise<Running<L['config']>>;
}

/** What stands once a service is up. */
export interface Running<C> {
  /** The line by which people and scripts know it. */
  readonly ready: { readonly says: string; readonly fields: object };
  /** How people get on from here. */
  readonly welcome?: Welcome;
  /** Lines of the live screen. */
  readonly status?: () => Promise<readonly string[]>;
  /** Resolves with the reason when a part ends by itself, without which the others are worth nothing. */
  readonly ended?: Promise<string>;
  /** Resolves with the reason when it is to stop, as by a signal: its work is done, or somebody has ordered it. */
  readonly done?: Promise<string>;
  /**
   * Puts in force what of the settings can change now, and reads files that they name again; called whether or not a
   * setting has changed. Gives the keys of those that are in force now.
   */
  applyLive?(config: C): readonly string[] | Promise<readonly string[]>;
  /** Told what the log tells, too: for who keeps a record. */
  readonly record?: Recorded;
}

interface Welcome {
  /** Lines for a terminal alone: no log has them. */
  secret(): readonly string[];
  /** What is logged where there is no terminal. */
  readonly says: string;
}

export interface Recorded {
  readonly reloaded: Told;
  /** It is asked to stop, or ends by itself, for this reason; all parts still stand. */
  stopping(reason: string): void;
}

/**
 * Resolves with the exit code. Throws {@link ConfigError}, or what the start has failed with, once all is closed again.
 *
 * @param limitMs of a stop.
 */
export async function runService<L extends AnyLoaded>(
  asked: Asked<L>,
  service: Service<L>,
  limitMs = STOP_LIMIT_MS,
): Promise<number> {
  // First of all: what is changed after this was read is read again.
  const onReload = watchForReload();
  const loaded = await loadChecked(asked, service);
  const screen = await createScreen(loaded.config, asked.io, asked.says);
  const { log } = screen;
  const stop = watchForStop();
  const open = new CloseStack();
  const stopping = { stop, open, log, limitMs };
  const reloader = new Reloader({ first: loaded, read: () => loadChecked(asked, service), log });
  const running = await startUnlessStopped(stopping, () => service.start(loaded, log, open, reloader));
  if (!running) return OK;
  reloader.begin(
    (config) => running.applyLive?.(config) ?? [],
    (...told) => running.record?.reloaded(...told),
  );
  log.info({ event: 'ready', ...running.ready.fields }, running.ready.says);
  if (running.welcome) welcome(running.welcome, screen);
  if (running.status) screen.show(running.status);
  open.add('reload', () => reloader.close());
  onReload(() => void reloader.ask('SIGHUP'));
  const { reason, code } = await endingOf(stop, running);
  screen.end();
  log[code === OK ? 'info' : 'error']({ event: 'stopping', reason }, 'stopping');
  running.record?.stopping(reason);
  await stopInOrder(stopping);
  return code;
}

function welcome({ secret, says }: Welcome, { isTerminal, print, log }: Screen): void {
  if (isTerminal) print(`${secret().join('\n')}\n`);
  else log.info({ event: 'welcome' }, says);
}

async function loadChecked<L extends AnyLoaded>(asked: Asked<L>, { check }: Service<L>): Promise<L> {
  const loaded = await asked.load();
  const problems = (await check?.(loaded)) ?? [];
  if (problems.length > 0) throw new ConfigError(problems);
  return loaded;
}

interface Ending {
  readonly reason: string;
  readonly code: number;
}

/** A part that ends by itself ends them all: half of it would only look as if it worked. */
function endingOf(stop: Stop, { ended, done }: Running<never>): Promise<Ending> {
  return Promise.race([
    stop.asked.then((reason) => ({ reason, code: OK })),
    ...(done ? [done.then((reason) => ({ reason, code: OK }))] : []),
    ...(ended ? [ended.then((reason) => ({ reason, code: FAILED }))] : []),
  ]);
}
