import type { ComponentChildren } from 'preact';
import type { Asked } from '../use/reading.js';
import { Waiting } from './waiting.js';

interface CardProps {
  /** No other of the view has it. */
  readonly id: string;
  readonly title: string;
  /** Beside the title: what one can do, or where there is more. */
  readonly actions?: ComponentChildren;
  /** What it shows, where that is asked for. */
  readonly asked?: Asked<unknown>;
  readonly children: ComponentChildren;
}

export function Card({ id, title, actions, asked, children }: CardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {asked && <Waiting {...asked} />}
      {children}
    </section>
  );
}
