import type { ComponentChildren } from 'preact';

/** Name and value. */
export type Fact = readonly [name: string, shown: ComponentChildren];

/** What is known of something, a line each; what is empty is left out. */
export function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, shown]) => shown)
        .map(([name, shown]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
    </dl>
  );
}
