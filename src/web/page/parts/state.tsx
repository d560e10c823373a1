/** The state of something, as a word with a colour. */
interface StateProps {
  /** By which it is coloured. */
  readonly of: string;
  /** What it is called, where that is another word. */
  readonly words?: string;
}

export function State({ of, words = of }: StateProps) {
  return <span class={`state is-${of}`}>{words}</span>;
}
