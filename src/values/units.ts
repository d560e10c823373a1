/**
 * The one grammar of units: `250ms`, `30s`, `5m`, `1h`, `2d`; `16KiB`, `1MB`; `1%`; `10k`, `4T`, `4e12`. Times and sizes need
 * their unit. A part without one is a fraction: `0.01` is `1%`, and a bare `1` is refused, as it could be either. Loads nothing,
 * since help shows defaults by it.
 */

/** Kinds of numbers. Read are milliseconds, bytes and basis points; all but `hashes` are whole. */
export type Unit = 'time' | 'size' | 'part' | 'count' | 'hashes';

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
  /** Worth of a plain number; of one without it, no number but 0 is plain. */
  readonly plain?: number;
  readonly isWhole: boolean;
  /** A plain number is a fraction below 1. */
  readonly isPart?: boolean;
  /** `is no time` … */
  readonly name: string;
  readonly hint: string;
}

const MEANINGS: Readonly<Record<Unit, Meaning>> = {
  time: {
    ...{ units: TIME, isWhole: true, name: 'time' },
    hint: ': write it with its unit, such as 250ms, 30s, 5m, 1h or 2d',
  },
  size: {
    ...{ units: BYTES, isWhole: true, name: 'size' },
    hint: ': write it with its unit, such as 16KiB, 512MiB or 1MB',
  },
  part: {
    ...{ units: PART, plain: BASIS_POINTS, isWhole: true, isPart: true },
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
  if (unit === '' && ((isPart && count >= divisor) || (plain === undefined && count > 0n))) return undefined;
  return { above: count * BigInt((unit === '' ? plain : units[unit]) ?? 0), below: divisor };
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
  const { units } = MEANINGS[unit];
  if (units === COUNT) return formatCount(value);
  if (units === PART) return `${value / 100}%`;
  const [name, worth] = Object.entries(units).find(([, each]) => value % each === 0) ?? ['ms', 1];
  return `${value / worth}${name}`;
}

function formatCount(value: number): string {
  const short = value.toExponential().replace('e+', 'e');
  if (value >= 1e9 && short.length < 6) return short;
  return Number.isSafeInteger(value)
    ? String(value)
    : String(Number(value.toPrecision(2))).replace('e+', 'e');
}

/** As a value is written, or a plain number. */
export type Bound = string | number;

export function boundOf(bound: Bound, unit: Unit): number {
  const read = typeof bound === 'number' ? bound : readQuantity(bound, unit);
  if (read === undefined) throw new RangeError(`${bound} is no ${MEANINGS[unit].name}`);
  return read;
}

/** What is wrong with a value that is none from `min` to `max`. */
export function noQuantity(unit: Unit, min: Bound, max: Bound): string {
  const { name, hint } = MEANINGS[unit];
  const [from, to] = [min, max].map((bound) => formatQuantity(boundOf(bound, unit), unit));
  const range = `from ${from} to ${to}`;
  return `is no ${name} ${range}${unit === 'count' && boundOf(max, unit) < 1000 ? '' : hint}`;
}
