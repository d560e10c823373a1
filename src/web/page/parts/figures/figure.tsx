/** A number that counts: its name, its value, and one line. What has to be explained stands behind a sign that one can ask. */
import type { ComponentChildren } from 'preact';

interface FigureProps {
  readonly name: string;
  /** Behind each blank that does not break stands a unit. */
  readonly value: ComponentChildren;
  /** How it went. */
  readonly spark?: ComponentChildren;
  /** What the number is, in a sentence. */
  readonly hint?: string;
  readonly look?: 'warning' | 'fault' | undefined;
  /** One line. */
  readonly children?: ComponentChildren;
}

/** A list of figures. */
export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}

export function Figure({ name, value, spark, hint, look, children }: FigureProps) {
  return (
    <div class={`figure card ${look ? `is-${look}` : ''}`}>
      <dt>
        {name}
        {hint && <Hint says={hint} />}
      </dt>
      <dd class="value">{typeof value === 'string' ? withUnits(value) : (value ?? '–')}</dd>
      <dd class="aside">{children}</dd>
      {spark && <dd class="spark-below">{spark}</dd>}
    </div>
  );
}

/** Numbers and units by turns. */
function withUnits(value: string): ComponentChildren {
  return value.split(/(\u00a0\S+)/).map((part, i) => (i % 2 === 0 ? part : <span class="unit">{part}</span>));
}

function Hint({ says }: { says: string }) {
  return (
    <details class="hint">
      <summary aria-label="What is this?">?</summary>
      <span class="hint-words">{says}</span>
    </details>
  );
}
