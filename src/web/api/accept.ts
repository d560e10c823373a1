/** Which of two forms of an answer is asked for. */

/** True when CSV is wanted more than JSON (RFC 9110, 12.5.1); what is asked for equally is given as JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(readRange);
  const csv = qualityOf('text/csv', 'text/*', ranges);
  return csv > 0 && csv > qualityOf('application/json', 'application/*', ranges);
}

interface Range {
  readonly type: string;
  /** 0 to 1; 0 for what is not wanted. */
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** Of the range that fits most closely. */
function qualityOf(type: string, family: string, ranges: readonly Range[]): number {
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((each) => each.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}
