/** One block of lines at the bottom of a terminal that is drawn anew, with the log scrolling above it. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import cliTruncate from 'cli-truncate';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import { printable } from '../../core/names/names.js';

export interface LiveBlock {
  /** Prints whole lines above the block. */
  print(text: string): void;
  /** Draws the block anew, as far as the window has room for it. */
  draw(lines: readonly string[]): void;
  /** Leaves the last drawing on the screen: from now on it only prints. */
  end(): void;
}

interface LiveBlockOptions {
  /** A narrower window breaks lines that stand already in two, as most terminals do; see {@link reflowsLines}. */
  readonly reflows?: boolean;
}

/** Nothing that it does throws, also when the terminal hangs up: then it shows no more. */
export function createLiveBlock(
  stream: NodeJS.WriteStream,
  { reflows = true }: LiveBlockOptions = {},
): LiveBlock {
  const update = createLogUpdate(withSize(stream), { showCursor: true });
  let wanted: readonly string[] = [];
  let shown: readonly string[] = [];
  let isGone = false;
  const paint = (act: () => void): void => {
    if (isGone || !stream.writable) return;
    // One write, so that nobody sees half of it.
    stream.cork();
    act();
    stream.uncork();
  };
  const redraw = (): void => {
    shown = fitted(wanted, sizeOf(stream));
    if (shown.length > 0) update(shown.join('\n'));
  };
  const fit = (): void =>
    paint(() => {
      if (reflows) moveCursor(stream, 0, -rowsAdded(shown, sizeOf(stream).columns));
      update.clear();
      clearScreenDown(stream);
      redraw();
    });
  stream.on('resize', fit);
  stream.on('error', () => {
    isGone = true;
  });
  return {
    print: (text) =>
      paint(() => {
        update.clear();
        stream.write(text);
        redraw();
      }),
    draw(lines) {
      wanted = lines;
      paint(redraw);
    },
    end() {
      stream.off('resize', fit);
      update.done();
      wanted = [];
    },
  };
}

/** The console of Linux, xterm itself and GNU screen cut lines off where others break them. */
export function reflowsLines(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['TERM'] !== 'linux' && !env['XTERM_VERSION'] && !env['STY'];
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A container's terminal may say that it has 0 of both, which means that nobody knows. */
function sizeOf({ columns, rows }: Partial<Size>): Size {
  return { columns: Math.max(2, columns || 80), rows: rows || 24 };
}

/** What log-update knows of a terminal. */
function withSize(stream: NodeJS.WriteStream): NodeJS.WritableStream {
  const writable = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      stream.write(text);
      done();
    },
  });
  return Object.defineProperties(writable, {
    isTTY: { value: true },
    columns: { get: () => sizeOf(stream).columns },
    rows: { get: () => sizeOf(stream).rows },
  });
}

/** Without what the window has no room for: its last row is where the cursor rests. */
function fitted(lines: readonly string[], { columns, rows }: Size): readonly string[] {
  const room = rows - 1;
  const left = lines.length - room + 1;
  const note = `… ${left} more lines: make this window higher`;
  const cut = lines.length <= room ? lines : [...lines.slice(0, Math.max(0, room - 1)), note].slice(0, room);
  // Names come from rigs, and a terminal obeys control characters.
  return cut.map((line) => cliTruncate(printable(line), columns - 1));
}

/** Since these lines were drawn, the window has become so narrow that they take more rows than there are lines. */
function rowsAdded(lines: readonly string[], columns: number): number {
  const rows = lines.map((line) => Math.ceil(Math.max(1, stringWidth(line)) / columns));
  return rows.reduce((sum, count) => sum + count - 1, 0);
}
