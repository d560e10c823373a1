/** One of a few, as links: what is chosen stands in the address. */
interface SegmentsProps<T extends string> {
  /** For who hears it. */
  readonly label: string;
  /** Value and words. */
  readonly options: readonly (readonly [value: T, words: string])[];
  readonly chosen: T;
  hrefOf(value: T): string;
}

export function Segments<T extends string>({ label, options, chosen, hrefOf }: SegmentsProps<T>) {
  return (
    <nav class="segments" aria-label={label}>
      {options.map(([value, words]) => (
        <a key={value} href={hrefOf(value)} aria-current={value === chosen ? 'true' : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}
