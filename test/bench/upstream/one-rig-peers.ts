/**
 * The processes of the benchmark of one rig: a node; a bridge; and beside it a bare loop that does no more than has to be done:
 * it reads the raw stream, asks over one connection that it keeps, and writes one line to one socket.
 */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { Dispatcher } from '../../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../../src/bridge/events.js';
import { JobRoller } from '../../../src/bridge/job-roller.js';
import { createJudge } from '../../../src/bridge/judge.js';
import { JobBook } from '../../../src/core/jobs/job.js';
import { NonceSpace } from '../../../src/core/jobs/nonce.js';
import { SILENT } from '../../../src/core/names/log.js';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { startStratumServer } from '../../../src/stratum/server.js';
import { Upstream } from '../../../src/upstream/upstream.js';
import { type Calls, nowNs } from '../peer.js';

const ANY_PORT = { host: '127.0.0.1', port: 0 };
const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const BASE = '/chainweb/0.0/development';
/** Chain and target before the header, in a work and so in its answer. */
const [CHAIN_BYTES, HEADER_OFFSET, HEADER_BYTES] = [4, 36, 286];

/** Tells when it began to write of a new cut. */
export async function easyNode(): Promise<Calls> {
  const node = await startDevNode({ genesisDifficulty: 4, blockDelay: 0.001 });
  let cutNs: number | undefined;
  const { write } = ServerResponse.prototype;
  ServerResponse.prototype.write = function (this: ServerResponse, ...args: Parameters<typeof write>) {
    if (String(args[0]).includes('New Cut')) cutNs ??= nowNs();
    return write.apply(this, args);
  } as typeof write;
  const takeCutNs = (): number | undefined => {
    const taken = cutNs;
    cutNs = undefined;
    return taken;
  };
  return { url: () => node.url, port: () => node.address.port, takeCutNs };
}

/**
 * How long this process takes over a cut, in milliseconds: from the bytes of New Cut to those of the question, and from those of the
 * answer to those of the job. Without what the node takes in between.
 */
function watchOwnTimes(): number[] {
  const taken: number[] = [];
  let [cutNs, askedNs, answeredNs] = [0, 0, 0];
  const { push } = Socket.prototype;
  Socket.prototype.push = function (this: Socket, chunk: Buffer | null, ...rest: [BufferEncoding?]) {
    if (chunk?.includes('New Cut')) [cutNs, askedNs] = [nowNs(), 0];
    else if (askedNs > 0 && chunk && chunk.length > HEADER_BYTES) answeredNs = nowNs();
    return push.call(this, chunk, ...rest);
  };
  const written = (data: unknown): void => {
    const text = String(data);
    if (cutNs > 0 && askedNs === 0 && text.includes('/mining/work')) askedNs = nowNs();
    if (answeredNs === 0 || !text.includes('mining.notify')) return;
    taken.push((askedNs - cutNs + nowNs() - answeredNs) / 1e6);
    [cutNs, askedNs, answeredNs] = [0, 0, 0];
  };
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
    written(args[0]);
    return write.apply(this, args);
  } as typeof write;
  return taken;
}

/** All of a bridge but its books. */
export async function oneRigBridge({
  url = '',
  chains = 1,
}: {
  url?: string;
  chains?: number;
}): Promise<Calls> {
  const ownMs = watchOwnTimes();
  const [events, book, clock] = [createBridgeEvents(), new JobBook(1), { nowMs: () => performance.now() }];
  const roller = new JobRoller(book, clock);
  const dispatcher = new Dispatcher(book, events);
  let sessions = 0;
  const server = await startStratumServer({
    listeners: [{ name: 'tcp', transport: 'tcp', address: ANY_PORT }],
    judge: createJudge({
      book,
      clock,
      shares: { append: (_share, _reached, waiter) => queueMicrotask(() => waiter.kept()) },
      sendSolution: () => undefined,
    }),
    nonceSpace: new NonceSpace(0),
    jobs: roller,
    clock,
    events,
    log: SILENT,
    nextSessionId: () => ++sessions,
    shareDifficulty: 'block',
    limits: {},
  });
  dispatcher.addSink(roller);
  dispatcher.addSink(server.jobs);
  const random = Math.random;
  const upstream = new Upstream({
    urls: [url],
    miner: MINER,
    sink: dispatcher,
    events,
    log: SILENT,
    random,
    forkEpoch: 14_400,
    deadAfterMs: 120_000,
    isKnownPublic: () => false,
  });
  upstream.workOn(chains);
  upstream.start();
  return { port: () => server.addresses['tcp']?.port, takeOwnMs: () => ownMs.splice(0) };
}

export async function bareLoop({ port = 0 }: { port?: number }): Promise<Calls> {
  const rigs = new Set<Socket>();
  let newest = '';
  const server = createServer((rig) => {
    rigs.add(rig.setNoDelay(true));
    rig.write(newest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = connect(port, '127.0.0.1').setNoDelay(true);
  let stream: Socket | undefined;
  let chainId: number | undefined;
  let number = 0;
  const ask = (): void => {
    const body = JSON.stringify({ account: 'k:aa', predicate: 'keys-all', 'public-keys': ['aa'] });
    const wish = chainId === undefined ? '' : `?chain=${chainId}`;
    line.write(
      `GET ${BASE}/mining/work${wish} HTTP/1.1\r\nhost: node\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  };
  const listen = (): void => {
    stream?.destroy();
    const body = Buffer.alloc(CHAIN_BYTES);
    body.writeUInt32LE(chainId ?? 0);
    stream = connect(port, '127.0.0.1').setNoDelay(true);
    stream.write(
      `GET ${BASE}/mining/updates HTTP/1.1\r\nhost: node\r\ncontent-type: application/octet-stream\r\ncontent-length: ${CHAIN_BYTES}\r\n\r\n`,
    );
    stream.write(body);
    stream.on('data', (bytes) => bytes.includes('New Cut') && ask());
  };
  line.on('data', (bytes) => {
    const work = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
    const header = work.toString('hex', HEADER_OFFSET, HEADER_OFFSET + HEADER_BYTES);
    const text = `{"id":null,"method":"mining.notify","params":["${++number}","${header}",true]}\n`;
    newest = text;
    for (const rig of rigs) rig.write(text);
    const given = work.readUInt32LE(0);
    if (given === chainId) return;
    chainId = given;
    listen();
  });
  ask();
  return { port: () => (server.address() as AddressInfo).port };
}

/** One of them for each chain. */
export async function bareLoops({
  port = 0,
  chains = 1,
}: {
  port?: number;
  chains?: number;
}): Promise<Calls> {
  const ports: unknown[] = [];
  for (let i = 0; i < chains; i++) ports.push((await bareLoop({ port }))['port']?.());
  return { ports: () => ports };
}
