/** Whether a request was meant for this server, by the name that it was asked under. */

/** No name ends in a number. */
const IP = /^(\d+(\.\d+){3}|[\da-f:]*:[\da-f:.]*)$/;

/**
 * A web page's own name may be made to lead here, and then what is answered is the page's to read. Addresses, `localhost` and
 * names that the server was given are no such name.
 *
 * @param header `Host` as it came; programs may leave it out.
 * @param own names that the server was given.
 */
export function isOwnName(header: string | undefined, own: readonly (string | undefined)[] = []): boolean {
  const name = hostNameIn(header);
  if (name === '' || name === 'localhost' || name.endsWith('.localhost') || IP.test(name)) return true;
  return own.some((one) => one?.toLowerCase() === name);
}

/** In small letters, without port, brackets, and the dot that may end it. */
function hostNameIn(header = ''): string {
  return header
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
