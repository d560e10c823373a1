/** A number that counts, with its name above it and what it is made of below. */
import type { ComponentChildren } from 'preact';

interface FigureProps {
  readonly name: string;
  /** Behind a blank that does not break stands the unit. */
  readonly value: string | undefined;
  /** How it went. */
  readonly spark?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Figure({ name, value = '–', spark, children }: FigureProps) {
  const [number, unit] = value.split('\u00a0');
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="value">
        {number}
        {unit && <span class="unit">{`\u00a0${unit}`}</span>}
      </dd>
      {spark && <dd>{spark}</dd>}
      <dd class="aside">{children}</dd>
    </div>
  );
}
