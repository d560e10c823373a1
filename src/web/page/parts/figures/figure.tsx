/** A number that counts, with its name above it and what it is made of below. */
import type { ComponentChildren } from 'preact';

interface FigureProps {
  readonly name: string;
  /** Behind each blank that does not break stands a unit. */
  readonly value: string | undefined;
  /** How it went. */
  readonly spark?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Figure({ name, value = '–', spark, children }: FigureProps) {
  // Numbers and units by turns.
  const parts = value.split(/(\u00a0\S+)/);
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="value">{parts.map((part, i) => (i % 2 === 0 ? part : <span class="unit">{part}</span>))}</dd>
      {spark && <dd>{spark}</dd>}
      <dd class="aside">{children}</dd>
    </div>
  );
}
