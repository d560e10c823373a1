/** What a person sees: a terminal emulator without a window. */
import xterm from '@xterm/headless';

export interface Emulator {
  /** Resolves when it is on the screen. */
  write(data: string | Uint8Array): Promise<void>;
  resize(columns: number, rows: number): void;
  /** All rows from the first that has scrolled away to the last that is not blank, without blanks at their ends. */
  rows(): string[];
  /** The rows that stand in the window. */
  window(): string[];
}

/** @param newlineReturns a newline also returns to the first column, as where a kernel's terminal is in between. */
export function createEmulator(columns: number, rows: number, newlineReturns = false): Emulator {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    convertEol: newlineReturns,
    allowProposedApi: true,
  });
  const all = (): string[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '');
  };
  return {
    write: (data) => new Promise((resolve) => terminal.write(data, resolve)),
    resize: (toColumns, toRows) => terminal.resize(toColumns, toRows),
    rows: () => trimmed(all()),
    window: () => trimmed(all().slice(-terminal.rows)),
  };
}

function trimmed(rows: string[]): string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
}
