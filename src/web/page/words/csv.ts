/** Tables for spreadsheets. */
export function csv(rows: readonly (readonly unknown[])[]): string {
  return rows.map((cells) => `${cells.map((value) => cell(String(value ?? ''))).join(',')}\r\n`).join('');
}

/** As RFC 4180 has it; one that begins like a formula gets a blank before, so that no spreadsheet runs it. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\r\n ]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
