/**
 * Which pieces of the code were reached, as V8 counts them: pieces are what lies between two places at which it was ever seen
 * that one side ran and the other did not. To be started before the code is imported, so that functions that never run are known.
 */
import { type Profiler, Session } from 'node:inspector';

interface Script {
  /** What its offsets are counted from, so that no two scripts share one. */
  readonly base: number;
  /** Where pieces begin and end. */
  readonly edges: Set<number>;
  /** Edges after which there is code of a function: what lies between functions is no piece. */
  readonly within: Set<number>;
}

const LONGEST_SCRIPT = 2 ** 24;

export class Coverage {
  readonly #session = new Session();
  readonly #files: readonly string[];
  /** Edges after which the code ran. */
  readonly #reached = new Set<number>();
  readonly #scripts = new Map<string, Script>();

  /** @param files ends of their addresses, without what they end in: `src/wire/lines`. */
  constructor(files: readonly string[]) {
    this.#files = files;
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#post('Profiler.stopPreciseCoverage');
    this.#post('Profiler.disable');
    this.#session.disconnect();
  }

  /** Places that ran since the last look and were not reached before; from now on they count as reached. */
  look(): Set<number> {
    const fresh = new Set<number>();
    for (const place of this.ranLately()) {
      if (this.#reached.has(place)) continue;
      fresh.add(place);
      this.#reached.add(place);
    }
    return fresh;
  }

  /** Places that ran since the last look. */
  ranLately(): number[] {
    return this.#take().flatMap((script) => this.#ran(script));
  }

  get reached(): number {
    return this.#pieces.filter(({ isReached }) => isReached).length;
  }

  /** Files of which no code was loaded. */
  get unseen(): readonly string[] {
    const seen = [...this.#scripts.keys()];
    return this.#files.filter((file) => !seen.some((url) => url.endsWith(`${file}.js`)));
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  /** Pieces that nothing has reached: script and offsets. */
  get missing(): string[] {
    return this.#pieces.filter(({ isReached }) => !isReached).map(({ name }) => name);
  }

  get #pieces(): { readonly name: string; readonly isReached: boolean }[] {
    return [...this.#scripts].flatMap(([url, { base, edges, within }]) => {
      const sorted = [...edges].sort((a, b) => a - b);
      const pieces = sorted.map((from, i) => ({
        name: `${url.split('/src/').at(-1)} ${from} to ${sorted[i + 1]}`,
        isReached: this.#reached.has(base + from),
      }));
      return pieces.filter((_, i) => within.has(sorted[i] ?? 0));
    });
  }

  /** From the outermost range inwards: what is within has the last word. */
  #ran({ url, functions }: Profiler.ScriptCoverage): number[] {
    const known = this.#scripts.get(url) ?? {
      base: this.#scripts.size * LONGEST_SCRIPT,
      edges: new Set(),
      within: new Set(),
    };
    this.#scripts.set(url, known);
    const ranges = functions.flatMap((each) => (isModule(each) ? [] : each.ranges));
    // 0 outside of all functions, 1 where nothing ran, 2 where something did.
    const state = new Uint8Array(ranges.reduce((last, { endOffset }) => Math.max(last, endOffset), 0));
    for (const { startOffset, endOffset, count } of ranges) {
      known.edges.add(startOffset).add(endOffset);
      state.fill(count > 0 ? 2 : 1, startOffset, endOffset);
    }
    const edges = [...known.edges];
    for (const at of edges) if ((state[at] ?? 0) > 0) known.within.add(at);
    // What lies between two edges is one piece: its first place stands for it.
    return edges.filter((at) => state[at] === 2).map((at) => known.base + at);
  }

  #take(): Profiler.ScriptCoverage[] {
    let taken: Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      taken = result.filter(({ url }) =>
        this.#files.some((file) => url.replace(/\.[jt]s$/, '').endsWith(file)),
      );
    });
    return taken;
  }

  #post(method: 'Profiler.enable' | 'Profiler.disable' | 'Profiler.stopPreciseCoverage'): void {
    this.#session.post(method);
  }
}

/** The code of the module itself, which holds all else. */
function isModule({ ranges }: Profiler.FunctionCoverage): boolean {
  return ranges[0]?.startOffset === 0;
}
