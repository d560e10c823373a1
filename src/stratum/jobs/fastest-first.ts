/** The order in which sessions are written to: a late job costs a fast rig most. */
export function fastestFirst<T extends { readonly hashesPerSecond: number }>(sessions: Iterable<T>): T[] {
  const timed = Array.from(sessions, (session) => ({ session, speed: session.hashesPerSecond }));
  return timed.sort((a, b) => b.speed - a.speed).map(({ session }) => session);
}
