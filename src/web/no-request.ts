/** What is said to bytes that are no request, or to one that did not come whole in time: in the shape of all errors. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** For `clientError` of a server. */
export function refuseBytes({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, error] = whatIsWrong(code);
  const body = JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}

function whatIsWrong(code: string | undefined): [status: number, error: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request did not come whole in time'];
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the head of the request is too long'];
  return [400, 'what came is no HTTP request'];
}
