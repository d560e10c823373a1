/** Sums of long ago, made in the partitions that upkeep would have left, and faster: each is filled before it has an index or a place. */
import pg from 'pg';

export type Table = 'rig_work' | 'account_work';

/** A partition that upkeep leaves: rows of so many seconds. */
export interface Partition {
  readonly table: Table;
  readonly seconds: number;
  readonly from: Date;
  readonly to: Date;
}

interface Level {
  readonly seconds: number;
  readonly unit: 'hour' | 'day' | 'month';
  readonly afterMs: number;
}

/** Those of a table from then up to now, as `levels()` says. @param lateMs so long upkeep has done nothing. */
export async function partitionsSince(
  pool: pg.Pool,
  table: Table,
  sinceMs: number,
  lateMs = 0,
): Promise<Partition[]> {
  const { rows: levels } = await pool.query<Level>(
    `SELECT seconds, unit, (extract(epoch FROM after) * 1000)::float8 AS "afterMs" FROM levels() WHERE parent = $1 ORDER BY seconds DESC`,
    [table],
  );
  const nowMs = Date.now();
  const partitions: Partition[] = [];
  const coarsest = levels[0]?.unit ?? 'day';
  for (let at = startOf(new Date(sinceMs), coarsest); at.getTime() < nowMs; ) {
    const [from, ends] = [at, (unit: Level['unit']) => endOf(from, unit)];
    const fits = ({ unit, afterMs }: Level): boolean =>
      startOf(from, unit).getTime() === from.getTime() && ends(unit).getTime() <= nowMs - lateMs - afterMs;
    const level = levels.find(fits) ?? levels.at(-1);
    if (!level) throw new Error(`there are no levels of ${table}`);
    const to = ends(level.unit);
    partitions.push({ table, seconds: level.seconds, from, to });
    at = to;
  }
  return partitions;
}

function startOf(at: Date, unit: Level['unit']): Date {
  const text = at.toISOString();
  const kept = { hour: 13, day: 10, month: 7 }[unit];
  return new Date(`${text.slice(0, kept)}${'0000-01-01T00:00:00.000Z'.slice(kept)}`);
}

function endOf(from: Date, unit: Level['unit']): Date {
  if (unit === 'month') return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
  return new Date(from.getTime() + { hour: 3_600_000, day: 86_400_000 }[unit]);
}

/** The number of whose rows they are. */
const WHO: Readonly<Record<Table, string>> = { rig_work: 'rig_id', account_work: 'account_id' };

/**
 * Fills them, two at a time. @param select its columns, after starts_at and seconds: from `times (at)`, which are those of the rows.
 * @param told how many rows were made, again and again.
 */
export async function fill(
  connectionString: string,
  partitions: readonly Partition[],
  columns: string,
  select: string,
  told: (rows: number) => void = () => {},
): Promise<void> {
  const waiting = [...partitions];
  const work = async (): Promise<void> => {
    const client = new pg.Client({ connectionString, options: OPTIONS });
    await client.connect();
    try {
      for (let one = waiting.shift(); one; one = waiting.shift())
        told(await fillOne(client, one, columns, select));
    } finally {
      await client.end();
    }
  };
  await Promise.all([work(), work()]);
}

const OPTIONS =
  '-c search_path=stratum_bridge -c synchronous_commit=off -c maintenance_work_mem=256MB -c timezone=UTC';

async function fillOne(
  client: pg.Client,
  { table, seconds, from, to }: Partition,
  columns: string,
  select: string,
): Promise<number> {
  const [start, end] = [from.getTime() / 1000, to.getTime() / 1000];
  const [name, who] = [`${table}_${seconds}_${start}_${end}`, WHO[table]];
  await client.query(`BEGIN; CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS)`);
  const times = `WITH times AS (SELECT to_timestamp(s) AS at FROM generate_series(${start}, ${end - seconds}, ${seconds}) s WHERE s < extract(epoch FROM now()))`;
  const { rowCount } = await client.query(
    `INSERT INTO ${name} (starts_at, seconds, ${columns}) ${times} SELECT at, ${seconds}, ${select.replaceAll('SECONDS', String(seconds))}`,
  );
  await client.query(
    `ALTER TABLE ${name} ADD PRIMARY KEY (starts_at, ${who}, kind); CREATE INDEX ON ${name} (${who}, starts_at)`,
  );
  await client.query(
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}'); COMMIT`,
  );
  return rowCount ?? 0;
}
