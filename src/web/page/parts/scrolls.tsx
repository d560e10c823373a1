import type { ComponentChildren } from 'preact';

/** What may be wider than the window scrolls by itself, and by keyboard too. @param label for who hears it. */
export function Scrolls({
  label,
  className = '',
  children,
}: {
  label: string;
  className?: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: not every browser lets keys reach what scrolls without it
    <section class={`scrolls ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
