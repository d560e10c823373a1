const STATUS = {
  'bad-order': 400,
  'unknown-snapshot': 404,
  'too-many-snapshots': 409,
  'not-taken': 409,
  busy: 503,
  'given-up': 503,
} as const;

/** An order that cannot be followed; the sentence says why. */
export class OrderError extends Error {
  override readonly name = 'OrderError';
  readonly code: keyof typeof STATUS;

  constructor(code: OrderError['code'], message: string) {
    super(message);
    this.code = code;
  }

  /** Of an answer over HTTP. */
  get statusCode(): number {
    return STATUS[this.code];
  }
}
