/** Columns of a table of views: what stands in them, and which matter most. Nothing of how they are drawn. */

/**
 * `name`: cut in the middle where there is no room; `text`: cut at its end; `counts`: numbers by name. Numbers are never cut:
 * `count`, `amount` (a decimal string of the chain's coin), `hashes` (expected ones), `rate` (of hashes a second). `time`: ISO 8601.
 */
export type Kind = 'name' | 'text' | 'counts' | 'count' | 'amount' | 'hashes' | 'rate' | 'time';

export interface Column<Row = never> {
  /** Its key where there is none. */
  readonly heading?: string;
  readonly kind: Kind;
  /** A narrow window does without those of the highest number first, and never without those of 1. */
  readonly importance: number;
  /** Cells that have no room are said in full below the table. */
  readonly inFull?: true;
  /** What stands in it; without this the field of that name. */
  of?(row: Row): unknown;
}

/** In the order in which they are shown. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export function cellOf<Row extends object>(row: Row, key: string, { of }: Column<Row>): unknown {
  return of ? of(row) : row[key as keyof Row];
}

export function isNumeric(kind: Kind): boolean {
  return kind === 'count' || kind === 'amount' || kind === 'hashes' || kind === 'rate';
}

/** For machines: exact, and empty for what is not there. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plainText).join(' ');
  return typeof value === 'object' ? countsText(value) : String(value);
}

/** `stale 3, duplicate 1`: those that are not zero; empty when all are. */
export function countsText(counts: object): string {
  const some = Object.entries(counts).filter(([, count]) => count !== 0);
  return some.map(([name, count]) => `${name} ${count}`).join(', ');
}
