/** One block of lines at the bottom of a terminal that is drawn anew, with the log scrolling above it. */
const CLEAR_TO_END = '\u001b[J';
const up = (lines: number): string => (lines > 0 ? `\u001b[${lines}A\r` : '\r');

export interface LiveBlock {
  /** Prints above the block. */
  print(text: string): void;
  draw(lines: readonly string[]): void;
  /** Leaves the last drawing on the screen. */
  end(): void;
}

export function createLiveBlock(stream: NodeJS.WriteStream): LiveBlock {
  let shown: readonly string[] = [];
  const erase = (): string => up(shown.length) + CLEAR_TO_END;
  const block = (): string => shown.map((line) => `${line}\n`).join('');
  return {
    print(text) {
      stream.write(erase() + text + block());
    },
    draw(lines) {
      const width = Math.max(20, stream.columns ?? 80) - 1;
      const before = erase();
      shown = lines
        .map(harmless)
        .map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));
      stream.write(before + block());
    },
    end() {
      shown = [];
    },
  };
}

/** Names come from rigs, and a terminal obeys control characters. */
function harmless(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}
