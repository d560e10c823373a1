import type { ComponentChildren } from 'preact';
import type { Asked } from '../use/reading.js';
import { Waiting } from './waiting.js';

interface CardProps {
  /** No other of the view has it. */
  readonly id: string;
  readonly title: string;
  /** What it shows, where that is asked for. */
  readonly asked?: Asked<unknown>;
  readonly children: ComponentChildren;
}

export function Card({ id, title, asked, children }: CardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {asked && <Waiting {...asked} />}
      {children}
    </section>
  );
}
