/**
 * The one grammar of units: `250ms`, `30s`, `5m`, `1h`, `2d`; `16KiB`, `1MB`; `1%`; `10k`, `4T`, `4e12`. A number without a
 * unit is in that of its key: `blockDelayMs: 5000` are milliseconds. A part without one is a fraction: `0.01` is `1%`, and a
 * bare `1` is refused, as it could be either. Loads nothing, since help shows defaults by it.
 */

/** What a plain number of a setting means: the unit that stands in its key. The first three and `count` are whole. */
export type Unit = 'ms' | 'bytes' | 'basis points' | 'count' | 's' | 'MB' | 'hashes';

/** Worth of each unit in the smallest of its kind, the greatest first, so that what is shown is short. */
const TIME = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const BYTES = {
  ...{ TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 },
  ...{ TB: 1e12, GB: 1e9, MB: 1e6, kB: 1e3, KB: 1e3, B: 1 },
};
const PART = { '%': 100 };
/** In the whole. */
const BASIS_POINTS = 10_000;
const COUNT = { P: 1e15, T: 1e12, G: 1e9, M: 1e6, k: 1e3 };

interface Meaning {
  readonly units: Readonly<Record<string, number>>;
  /** Worth of a plain number. */
  readonly plain: number;
  readonly isWhole: boolean;
  /** A number without a unit is a fraction below 1. */
  readonly isPart?: boolean;
  /** `is no time` … */
  readonly name: string;
  readonly hint: string;
}

const TIMES = 'or with a unit such as 250ms, 30s, 5m, 1h or 2d';
const SIZES = 'or with a unit such as 16KiB, 512MiB or 1MB';

const MEANINGS: Readonly<Record<Unit, Meaning>> = {
  ms: {
    units: TIME,
    plain: 1,
    isWhole: true,
    name: 'time',
    hint: `: a whole number of milliseconds, ${TIMES}`,
  },
  s: { units: TIME, plain: 1000, isWhole: false, name: 'time', hint: `: a number of seconds, ${TIMES}` },
  bytes: { units: BYTES, plain: 1, isWhole: true, name: 'size', hint: `: a whole number of bytes, ${SIZES}` },
  MB: {
    ...{ units: BYTES, plain: 2 ** 20, isWhole: false },
    ...{ name: 'size', hint: `: a number of MB (of 2^20 bytes), ${SIZES}` },
  },
  'basis points': {
    ...{ units: PART, plain: 1, isWhole: true, isPart: true },
    ...{ name: 'part', hint: ', down to 0.01%: write 1% or 0.01, as a bare 1 could be either' },
  },
  count: {
    units: COUNT,
    plain: 1,
    isWhole: true,
    name: 'whole number',
    hint: ' (10k and 1e4 are numbers, too)',
  },
  hashes: { units: COUNT, plain: 1, isWhole: false, name: 'number', hint: ' (4T and 4e12 are numbers, too)' },
};

const QUANTITY = /^(\d{1,80})(?:\.(\d{1,30}))?(?:[eE]\+?(\d{1,2}))? ?([a-zA-Z%]*)$/;

/** An exact fraction of the unit's plain number; `undefined` where the text is none of the grammar. */
function parse(
  text: string,
  { units, plain, isPart }: Meaning,
): { above: bigint; below: bigint } | undefined {
  const [all, whole = '', decimals = '', exponent = '0', unit = ''] = QUANTITY.exec(text.trim()) ?? [];
  if (all === undefined || (unit !== '' && !Object.hasOwn(units, unit))) return undefined;
  const [count, divisor] = [
    BigInt(whole + decimals) * 10n ** BigInt(exponent),
    10n ** BigInt(decimals.length),
  ];
  if (isPart && unit === '' && count >= divisor) return undefined;
  const worth = BigInt(unit === '' ? (isPart ? BASIS_POINTS : plain) : (units[unit] ?? 0));
  return { above: count * worth, below: divisor * BigInt(plain) };
}

/** A whole number in `unit`, of any size; `undefined` for what is none. */
export function readWhole(text: string, unit: Unit): bigint | undefined {
  const { above, below } = parse(text, MEANINGS[unit]) ?? { above: 1n, below: 2n };
  return above % below === 0n ? above / below : undefined;
}

/** A number in `unit`, as near as a double comes; `undefined` for what is none, or must be whole and is not. */
export function readQuantity(text: string, unit: Unit): number | undefined {
  const meaning = MEANINGS[unit];
  const read = parse(text, meaning);
  if (!read) return undefined;
  if (read.above % read.below === 0n) return Number(read.above / read.below);
  return meaning.isWhole ? undefined : nearestDouble(read.above, read.below);
}

/** By its decimals, so that a plain `0.1` is what JavaScript takes it for. */
function nearestDouble(above: bigint, below: bigint): number {
  const digits = 10n ** 40n;
  const scaled = ((above * digits) / below).toString().padStart(41, '0');
  return Number(`${scaled.slice(0, -40)}.${scaled.slice(-40)}`);
}

/** As a person writes it: `10m`, `8KiB`, `1%`, `1e18`. Read again, it is the same, but for counts past 2^53. */
export function formatQuantity(value: number, unit: Unit): string {
  if (value === 0) return '0';
  const { units, plain } = MEANINGS[unit];
  if (units === COUNT) return formatCount(value);
  if (units === PART) return `${value / 100}%`;
  const [name] = Object.entries(units).find(([, worth]) => (value * plain) % worth === 0) ?? [];
  return name === undefined ? String(value) : `${(value * plain) / (units[name] ?? 1)}${name}`;
}

function formatCount(value: number): string {
  const short = value.toExponential().replace('e+', 'e');
  if (value >= 1e9 && short.length < 6) return short;
  return Number.isSafeInteger(value)
    ? String(value)
    : String(Number(value.toPrecision(2))).replace('e+', 'e');
}

/** What is wrong with a value that is none from `min` to `max`. */
export function noQuantity(unit: Unit, min: number, max: number): string {
  const { name, hint } = MEANINGS[unit];
  const range = `from ${formatQuantity(min, unit)} to ${formatQuantity(max, unit)}`;
  return `is no ${name} ${range}${max < 1000 && unit === 'count' ? '' : hint}`;
}
