/** Listening at an address that may give way to another. */

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Any free port of the host will do where another program has this one. */
  readonly elseAny?: boolean;
  /** A descriptor that listens already, from who started this process; host and port do not matter then. */
  readonly fd?: number;
}

/** Whoever listens finds out whether a port is free: looking first would leave time for others to take it. */
export async function listenAt<T>(
  address: ListenAddress,
  listen: (address: ListenAddress) => Promise<T>,
): Promise<T> {
  try {
    return await listen(address);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!address.elseAny || !isTaken) throw error;
    return listen({ ...address, port: 0 });
  }
}
