import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useOrders } from '../../use/orders.js';

interface MenuProps {
  readonly words: string;
  readonly children: ComponentChildren;
}

/** Behind a button. After an order it closes: what it lies over is needed next. */
export function Menu({ words, children }: MenuProps) {
  const { given } = useOrders();
  const menu = useRef<HTMLDetailsElement>(null);
  const seen = useRef(given);
  useEffect(() => {
    // Perhaps it was opened before this was run for the first time.
    const isAfterOrder = seen.current !== given;
    seen.current = given;
    if (!isAfterOrder || !menu.current?.open) return;
    menu.current.open = false;
    // The button that had the focus is hidden now.
    menu.current.querySelector('summary')?.focus();
  }, [given]);
  return (
    <details class="menu" ref={menu}>
      <summary>{words}</summary>
      <div class="menu-items">{children}</div>
    </details>
  );
}
