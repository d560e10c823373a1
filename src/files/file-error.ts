/** A file or folder of ours that cannot be used; the message says why and what to do. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: 'in-use' | 'disk-full' | 'no-permission' | 'cannot-make' | 'cannot-lock';

  constructor(code: FileError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Words for a failed access to a path of ours. Errors that are none of the known ones pass as they are. */
export function explainFileError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const sentence = `the disk is full at ${path}: free some space and start again`;
    return new FileError('disk-full', sentence, { cause: error });
  }
  if (code === 'EROFS') {
    const sentence = `the disk is read-only at ${path}: make it writable, or choose another folder with --data-dir`;
    return new FileError('no-permission', sentence, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const sentence = `${path} may not be written: give its owner back, or choose another folder with --data-dir`;
    return new FileError('no-permission', sentence, { cause: error });
  }
  return error;
}
