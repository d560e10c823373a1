import type { ComponentChildren } from 'preact';

interface ScrollsProps {
  /** For who hears it. */
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ComponentChildren;
}

/** What may be wider than the window scrolls by itself, and by keyboard too. */
export function Scrolls({ label, className = '', children }: ScrollsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: not every browser lets keys reach what scrolls without it
    <section class={`scrolls ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
