import type { ClientRequest } from 'node:http';

/**
 * Calls back when the operating system has the whole request, at once where it has it already. To be called as the request
 * is sent (`http.client.request.start`); its `finish` comes only after all that its sender did in the same turn.
 */
export function whenWritten(request: ClientRequest, then: () => void): void {
  if (request.socket?.writableLength === 0 && !request.socket.connecting) then();
  else request.once('finish', then);
}
