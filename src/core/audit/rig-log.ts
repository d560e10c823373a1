/** What rigs were answered, from CSV: columns `time` and `work`, and where there is one, `answer`. */

export interface LoggedShare {
  readonly atMs: number;
  readonly work: bigint;
}

/** Those that were accepted. A sentence where a line is none. */
export function readRigLog(text: string): LoggedShare[] | string {
  const [head = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const columns = head.split(',');
  const [time = -1, work = -1, answer = -1] = ['time', 'work', 'answer'].map((name) => columns.indexOf(name));
  if (time === -1 || work === -1) return 'it has no columns time and work, as `rig --log FILE` writes them';
  const shares: LoggedShare[] = [];
  for (const [i, line] of lines.entries()) {
    const cells = line.split(',');
    if (answer !== -1 && cells[answer] !== 'accepted') continue;
    const [atMs, done = ''] = [Date.parse(cells[time] ?? ''), cells[work]];
    if (Number.isNaN(atMs) || !/^\d{1,78}$/.test(done))
      return `line ${i + 2}, ${JSON.stringify(line)}, has no time and work`;
    shares.push({ atMs, work: BigInt(done) });
  }
  return shares;
}
