/** What one process may ask of another: the methods of an interface, each a cast (nothing comes back) or a call. */
export interface Contract<T> {
  /** No other contract of a channel has it. */
  readonly name: string;
  readonly methods: { readonly [M in keyof T]: KindOf<T[M]> };
}

/** What gives a promise is a call. */
type KindOf<F> = F extends (...args: never[]) => Promise<unknown> ? 'call' : 'cast';
