/** Cells of CSV as RFC 4180 has them, that no spreadsheet takes for a formula. */

/**
 * A name or another text. One that begins like a formula gets a space before, so that no spreadsheet runs it; numbers are
 * no texts, and may begin with a minus.
 */
export function csvText(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\r\n ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param cells as they are to be written. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
