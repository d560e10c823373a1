/** The spool could not take a record; `spool-unsure`: it may be in a file nevertheless. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';
  readonly code: 'spool-full' | 'spool-broken' | 'spool-unsure';

  constructor(code: SpoolError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
