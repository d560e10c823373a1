/**
 * Solutions on disk from found to their last word, so that neither a crash nor a ledger that is away loses one.
 *
 *     <dataDir>/solutions/<pow hash>.json    one file a solution, removed when the ledger has its last word
 *
 * File or ledger is enough; what neither takes is kept in memory, and both are tried again.
 *
 * A file of state `found` at a start is a solution whose post a crash may have cut off: it is posted again while its node
 * can still know the work. Others only wait for the ledger.
 */
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type {
  SolutionAnswer,
  SolutionBook,
  SolutionLog,
  SolutionRecord,
  SolutionSink,
  SolutionState,
} from '../../bridge/ports.js';
import { fromHex, toHex } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import type { Solution } from '../../core/shares/share.js';
import { difficultyOf } from '../../core/work/target.js';
import { syncFolder } from '../../files/sync-folder.js';
import { openPrivateFolder } from '../log/private-folder.js';

interface SolutionJournalOptions {
  /** The caller holds the lock of this folder. */
  readonly dataDir: string;
  readonly book: SolutionBook;
  readonly log: Log;
  /** Between two attempts at a ledger that is away. */
  readonly retryMs?: number;
}

const RETRY_MS = 2000;
const CLOSE_TIMEOUT_MS = 5000;
/** Nodes forget a work 330 s after they last handed it out. */
const WORK_LIFE_MS = 330_000;

const FILE = z.object({
  v: z.literal(1),
  state: z.enum(['found', 'received', 'refused', 'perhaps', 'lost']),
  detail: z.string(),
  node: z.string(),
  header: z.string(),
  powHash: z.string(),
  blockDifficulty: z.string(),
  account: z.string(),
  rig: z.string(),
  foundAtMs: z.number(),
});

interface LastWord {
  readonly state: SolutionState;
  readonly detail: string;
}

interface Journalled extends LastWord {
  readonly record: SolutionRecord;
}

/** What the ledger is owed. */
interface Owed {
  readonly journalled: Journalled;
  /** It is in its file. */
  onDisk: boolean;
}

export async function openSolutionJournal(options: SolutionJournalOptions): Promise<SolutionJournal> {
  const folder = join(options.dataDir, 'solutions');
  await openPrivateFolder(folder);
  await removeUnfinished(folder);
  return new SolutionJournal(options, folder, await readAll(folder, options.log));
}

export class SolutionJournal implements SolutionLog {
  readonly #options: SolutionJournalOptions;
  readonly #folder: string;
  readonly #closing = new AbortController();
  /** What the ledger does not have yet, by pow hash: the last state of each. */
  readonly #owed = new Map<string, Owed>();
  readonly #leftOver: readonly Journalled[];
  #paying: Promise<void> | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: SolutionJournalOptions, folder: string, leftOver: readonly Journalled[]) {
    this.#options = options;
    this.#folder = folder;
    this.#leftOver = leftOver;
    for (const journalled of leftOver) this.#owe({ journalled, onDisk: true });
  }

  /** Resolves when disk or ledger has it. Rejects when neither takes it now; both are tried again all the same. */
  async recordSolution(solution: Solution, state: SolutionState, detail: string): Promise<void> {
    const { job, header, powHash, account, rig, foundAtMs } = solution;
    const blockDifficulty = difficultyOf(job.blockTarget);
    const record = { node: job.node, header, powHash, blockDifficulty, account, rig, foundAtMs };
    await this.#record({ record, state, detail });
  }

  /**
   * Posts what an earlier run left without a last word, as long as its work can still be known.
   *
   * @param settled told the last word of each that it left, whether it had one already or not.
   */
  async resume(
    sink: SolutionSink,
    nowMs: () => number,
    settled: (solution: SolutionRecord, state: SolutionState, detail: string) => void = () => {},
  ): Promise<void> {
    const settle = async ({ record, ...word }: Journalled): Promise<void> => {
      const last = word.state === 'found' ? await this.#resumeOne(record, sink, nowMs) : word;
      if (!last) return;
      settled(record, last.state, last.detail);
      if (word.state === 'found') await this.#record({ record, ...last });
    };
    await Promise.all(this.#leftOver.map(settle));
  }

  /** A node that is not back yet is asked again; what is left at an end stays for the next start. */
  async #resumeOne(
    record: SolutionRecord,
    sink: SolutionSink,
    nowMs: () => number,
  ): Promise<LastWord | undefined> {
    const { log, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#closing;
    let word: LastWord = { state: 'lost', detail: 'the bridge ended before it was posted' };
    while (nowMs() - record.foundAtMs < WORK_LIFE_MS) {
      const answer = await sink.postSolution(record.node, record.header);
      word = lastWord(answer);
      if (answer.outcome !== 'unanswered') break;
      if (signal.aborted) return undefined;
      await pause(retryMs, undefined, { signal }).catch(() => {});
    }
    log.warn({ node: record.node, ...word }, 'a solution of an earlier run was settled');
    return word;
  }

  async close(withinMs = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#closing.abort();
    await Promise.race([this.#paying, pause(withinMs, undefined, { ref: false })]);
    for (const [powHash, { journalled, onDisk }] of this.#owed) {
      if (onDisk) continue;
      const { record, state, detail } = journalled;
      const fields = {
        powHash,
        header: toHex(record.header),
        node: record.node,
        account: record.account,
        state,
        detail,
      };
      this.#options.log.error(fields, 'the bridge ends and neither disk nor ledger has taken this solution');
    }
  }

  async #record(journalled: Journalled): Promise<void> {
    const diskError = await this.#write(journalled, () => true);
    if (diskError) {
      const words =
        'a solution cannot be written to disk, so the ledger alone has to take it: is the disk full?';
      this.#options.log.error({ folder: this.#folder, error: diskError.message }, words);
    }
    const owed = { journalled, onDisk: diskError === undefined };
    // In its turn behind what it is owed before.
    if (this.#owed.has(keyOf(journalled.record))) return this.#owe(owed);
    const bookError = await this.#tellBook(journalled);
    // A later word may be owed by now, and says more.
    if (!bookError || this.#owed.has(keyOf(journalled.record))) return;
    this.#owe(owed);
    const fields = { powHash: keyOf(journalled.record), error: bookError.message };
    this.#options.log.warn(fields, 'the ledger does not take a solution yet; it waits and is tried again');
    if (!diskError) return;
    const reasons = `disk: ${diskError.message}; ledger: ${bookError.message}`;
    throw new Error(`neither disk nor ledger takes it yet, and both are tried again: ${reasons}`);
  }

  /** One write at a time, so that a later state is never followed by an earlier one. */
  async #write(journalled: Journalled, isWanted: () => boolean): Promise<Error | undefined> {
    const written = this.#writing.then(() => (isWanted() ? writeFile(this.#folder, journalled) : undefined));
    this.#writing = written.catch(() => {}); // whoever asked for it is told
    return written.then(
      () => undefined,
      (error: Error) => error,
    );
  }

  async #tellBook({ record, state, detail }: Journalled): Promise<Error | undefined> {
    try {
      await this.#options.book.writeSolution(record, state, detail);
    } catch (error) {
      return error as Error;
    }
    if (state !== 'found') await this.#removeFile(record);
    return undefined;
  }

  /** One that stays is told to the ledger once more after the next start. */
  async #removeFile(record: SolutionRecord): Promise<void> {
    const path = fileOf(this.#folder, record);
    await rm(path, { force: true }).catch((error: Error) => {
      const words = 'the file of a settled solution cannot be removed';
      this.#options.log.warn({ path, error: error.message }, words);
    });
  }

  #owe(owed: Owed): void {
    this.#owed.set(keyOf(owed.journalled.record), owed);
    this.#paying ??= this.#payAll();
  }

  async #payAll(): Promise<void> {
    while (this.#owed.size > 0 && !this.#closing.signal.aborted) {
      for (const [key, owed] of this.#owed) await this.#payOne(key, owed);
      if (this.#owed.size === 0) break;
      await pause(this.#options.retryMs ?? RETRY_MS, undefined, { signal: this.#closing.signal }).catch(
        () => {},
      );
    }
    this.#paying = undefined;
  }

  /** What fails was said when it first did. It may get another state meanwhile, which is owed then. */
  async #payOne(key: string, owed: Owed): Promise<void> {
    const isNewest = (): boolean => this.#owed.get(key) === owed;
    const bookError = await this.#tellBook(owed.journalled);
    if (!bookError && isNewest()) this.#owed.delete(key);
    if (!bookError || owed.onDisk) return;
    owed.onDisk = (await this.#write(owed.journalled, isNewest)) === undefined;
  }
}

/** After a crash nobody knows whether the first post arrived: a node that forgot the work may have taken it. */
function lastWord(answer: SolutionAnswer): LastWord {
  if (answer.outcome === 'received') return { state: 'received', detail: '' };
  if (answer.outcome === 'unanswered') return { state: 'lost', detail: answer.error.message };
  const state = answer.status === 404 ? 'perhaps' : 'refused';
  return { state, detail: `${answer.status} ${answer.text}` };
}

function keyOf(record: SolutionRecord): string {
  return toHex(record.powHash);
}

function fileOf(folder: string, record: SolutionRecord): string {
  return join(folder, `${keyOf(record)}.json`);
}

/** Written beside and renamed: a crash leaves the old file or the new one. */
async function writeFile(folder: string, { record, state, detail }: Journalled): Promise<void> {
  const path = fileOf(folder, record);
  const content: z.infer<typeof FILE> = {
    v: 1,
    state,
    detail,
    node: record.node,
    header: toHex(record.header),
    powHash: toHex(record.powHash),
    blockDifficulty: record.blockDifficulty.toString(),
    account: record.account,
    rig: record.rig,
    foundAtMs: record.foundAtMs,
  };
  const handle = await open(`${path}.new`, 'w', 0o600);
  try {
    await handle
      .writeFile(`${JSON.stringify(content)}\n`)
      .then(() => handle.datasync())
      .finally(() => handle.close());
    await rename(`${path}.new`, path);
  } catch (error) {
    await rm(`${path}.new`, { force: true }).catch(() => {}); // the next start removes it
    throw error;
  }
  await syncFolder(folder);
}

/** What a crash or a full disk left behind. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json.new'));
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

async function readAll(folder: string, log: Log): Promise<Journalled[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const all = await Promise.all(names.map((name) => readOne(join(folder, name), log)));
  return all.flatMap((one) => one ?? []);
}

async function readOne(path: string, log: Log): Promise<Journalled | undefined> {
  try {
    const { state, detail, node, header, powHash, blockDifficulty, ...rest } = FILE.parse(
      JSON.parse(await readFile(path, 'utf8')),
    );
    const [headerBytes, powHashBytes] = [fromHex(header), fromHex(powHash)];
    if (!headerBytes || !powHashBytes) throw new Error('header and pow hash are hex digits');
    const bytes = { header: headerBytes, powHash: powHashBytes, blockDifficulty: BigInt(blockDifficulty) };
    return { record: { ...rest, node: nodeNameOf(node), ...bytes }, state, detail };
  } catch (error) {
    log.error(
      { path, error: (error as Error).message },
      'a journalled solution cannot be read; its file stays',
    );
    return undefined;
  }
}
