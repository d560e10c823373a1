/** A real name server (DNS over UDP) that knows a few names, and counts who asks. */
import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface NameServer extends AsyncDisposable {
  /** As resolvers take it: `address:port`. */
  readonly address: string;
  /** Names that were asked for their IPv4 addresses. */
  readonly asked: readonly string[];
}

const HEADER_BYTES = 12;
const A = 1;
/** A name that it does not answer for at all. */
export const SILENT_NAME = 'silent.example';

/** @param known IPv4 addresses by name; all other names have none, and no name has IPv6. */
export async function startNameServer(
  known: Readonly<Record<string, readonly string[]>>,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    if (type === A) asked.push(name);
    if (name === SILENT_NAME) return;
    const found = type === A ? (known[name] ?? []) : [];
    socket.send(answerTo(question.subarray(0, end), found), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // Some resolvers play with large and small letters.
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The question again, then each address for the name at its place. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const answers = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...answers]);
}
