/**
 * From the New Cut of a node to the job read by one rig, at a bridge and at a bare loop, in turns. Node, bridge, loop and this
 * process are four; a block is made on the chain that the one which is measured works on, so that the other mostly rests.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobBook } from '../../../src/core/jobs/job.js';
import { hashSubmit } from '../../../src/core/shares/share.js';
import { withNonce } from '../../../src/core/work/header.js';
import type { Work } from '../../../src/core/work/work.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { until } from '../../helpers/until.js';
import { nowNs } from '../peer.js';
import { Peer } from '../stratum/stratum-subject.js';

const RIVAL = { account: 'k:bb', predicate: 'keys-all', publicKeys: ['bb'] } as const;
/** Pairs of blocks, of which the first warm the code up. */
const [PAIRS, COLD_PAIRS] = [150, 30];
const CHAIN_OFFSET = 222;
const BAR = 1.4;
/** Blocks after which the code is warm, and milliseconds that the process may take itself then. */
const [WARM_BLOCKS, OWN_BAR_MS] = [1_500, 0.6];
const DEAF_MS = 1_000;

export async function benchOneRig(): Promise<void> {
  await using node = await Peer.start('easy-node');
  const [url, port] = [await node.call<string>('url'), await node.call<number>('port')];
  await using bridge = await Peer.start('one-rig-bridge', { url });
  await using loop = await Peer.start('bare-loop', { port });
  await using atBridge = await OneRig.connect(await bridge.call<number>('port'));
  await using atLoop = await OneRig.connect(await loop.call<number>('port'));
  const client = await NodeClient.connect({ nodes: url });
  const [bridgeMs, loopMs]: [number[], number[]] = [[], []];
  let [coldMs, warmMs]: [number[], number[]] = [[], []];
  try {
    for (let pair = 0; pair < PAIRS; pair++) {
      const delays = [await delayOf(client, node, atLoop), await delayOf(client, node, atBridge)] as const;
      if (pair < COLD_PAIRS) continue;
      loopMs.push(delays[0]);
      bridgeMs.push(delays[1]);
    }
    coldMs = (await bridge.call<number[]>('takeOwnMs')).slice(COLD_PAIRS);
    for (let block = 0; block < WARM_BLOCKS; block++) await delayOf(client, node, atBridge);
    warmMs = (await bridge.call<number[]>('takeOwnMs')).slice(-PAIRS);
  } finally {
    await client.close();
  }
  const [bare, ours] = [median(loopMs), median(bridgeMs)];
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(
    `New Cut of the node to the job at one rig: bare loop ${bare.toFixed(2)} ms, bridge ${ours.toFixed(2)} ms`,
  );
  const word = (isMet: boolean): string => (isMet ? '' : ': **missed**');
  say(
    `median of the bridge to that of the bare loop: ${(ours / bare).toFixed(2)}, bar: at most ${BAR}${word(ours / bare <= BAR)}`,
  );
  const [cold, warm] = [median(coldMs), median(warmMs)];
  say(
    `of it in the process of the bridge: ${cold.toFixed(2)} ms, after ${WARM_BLOCKS} blocks ${warm.toFixed(2)} ms, bar: at most ${OWN_BAR_MS}${word(warm <= OWN_BAR_MS)}`,
  );
}

/** A block on the chain that the rig works on: until the rig has another work. */
async function delayOf(client: NodeClient, node: Peer, rig: OneRig): Promise<number> {
  for (;;) {
    await until('a job', () => rig.header !== undefined);
    await sleep(20); // whatever the last block led to is over
    const { header = Buffer.alloc(0) } = rig;
    const chainId = header.readUInt32LE(CHAIN_OFFSET);
    const work = await client.work({ miner: RIVAL, chainId, timeoutMs: 10_000 });
    if (work.chainId !== chainId) {
      // It waits for its neighbours.
      await client.solved(solve(work));
      continue;
    }
    const solution = solve(work);
    await node.call('takeCutNs');
    const fresh = rig.next(header);
    await client.solved(solution);
    // Who was about to open the stream of the chain has not heard it.
    const readNs = await Promise.race([fresh, sleep(DEAF_MS, undefined)]);
    const cutNs = await node.call<number | undefined>('takeCutNs');
    if (readNs !== undefined && cutNs !== undefined) return (readNs - cutNs) / 1e6;
  }
}

function solve(work: Work): Uint8Array {
  const job = new JobBook(1).add(work, '');
  let nonce = 0n;
  while (!hashSubmit(job, nonce).solves) nonce++;
  return withNonce(work.header, nonce);
}

class OneRig implements AsyncDisposable {
  readonly #socket: Socket;
  #buffered = '';
  #waiting: ((atNs: number) => void) | undefined;
  #known: Buffer | undefined;
  /** Of the newest job. */
  header: Buffer | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#read(nowNs(), bytes.toString()));
  }

  static async connect(port: number): Promise<OneRig> {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await once(socket, 'connect');
    const rig = new OneRig(socket);
    socket.write('{"id":1,"method":"mining.subscribe","params":["bench/1",null]}\n');
    socket.write('{"id":2,"method":"mining.authorize","params":["k:aa.r","x"]}\n');
    return rig;
  }

  /** When the next job is read that is of another work than this one, by `nowNs`. */
  next(known: Buffer): Promise<number> {
    this.#known = known;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #read(atNs: number, text: string): void {
    const lines = (this.#buffered + text).split('\n');
    this.#buffered = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.includes('mining.notify')) continue;
      const { params } = JSON.parse(line) as { params: [string, string] };
      this.header = Buffer.from(params[1], 'hex');
      // Parent and payload say whether it is other work; the time alone may be new.
      if (!this.#known || this.#known.subarray(16, 158).equals(this.header.subarray(16, 158))) continue;
      this.#known = undefined;
      this.#waiting?.(atNs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
