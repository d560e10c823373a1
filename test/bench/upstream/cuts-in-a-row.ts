/**
 * New Cuts in a row: ten a second on each of three chains, until a rig on that chain has the job, at a bridge and at bare loops, in
 * turns. The node is made of strings: one of a real network would be busy with the blocks themselves.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeHeader } from '../../../src/core/work/header.js';
import { until } from '../../helpers/until.js';
import { nowNs } from '../peer.js';
import { Peer } from '../stratum/stratum-subject.js';
import { CHAINS, type Cut } from './cut-node.js';

/** Turns of each, and cuts of each chain in one of them: ten seconds. */
const [TURNS, CUTS] = [2, 100];
const BAR = 2;

export async function benchCutsInARow(): Promise<void> {
  await using node = await Peer.start('cut-node');
  const port = await node.call<number>('port');
  const [bridgeMs, loopMs]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    loopMs.push(...(await atLoops(node, port)));
    bridgeMs.push(...(await atBridge(node, port)));
  }
  const [bare, ours] = [quantiles(loopMs), quantiles(bridgeMs)];
  const ratio = ours.median / bare.median;
  const word = ratio <= BAR ? '' : ': **missed**';
  process.stdout.write(
    `New Cuts in a row, ten a second on ${CHAINS} chains, to the job at one rig of each, median and p99: bare loops ${bare.text} ms, bridge ${ours.text} ms
median of the bridge to that of the bare loops: ${ratio.toFixed(2)}, bar: at most ${BAR}${word}
`,
  );
}

async function atLoops(node: Peer, port: number): Promise<number[]> {
  await using loops = await Peer.start('bare-loops', { port, chains: CHAINS });
  return await delaysOf(node, await loops.call<number[]>('ports'));
}

async function atBridge(node: Peer, port: number): Promise<number[]> {
  await using bridge = await Peer.start('one-rig-bridge', {
    url: `http://127.0.0.1:${port}`,
    chains: CHAINS,
  });
  const at = await bridge.call<number>('port');
  return await delaysOf(node, new Array<number>(CHAINS).fill(at));
}

/** Of each cut whose job came; one that the next cut has overtaken has none. */
async function delaysOf(node: Peer, ports: readonly number[]): Promise<number[]> {
  const readAtNs = new Map<string, number>();
  const rigs = ports.map((port) => rigAt(port, readAtNs));
  await until('a rig on each chain', () => new Set([...readAtNs.keys()].map(chainOf)).size === CHAINS);
  await sleep(500); // streams open
  const cuts = await node.call<Cut[]>('cut', CUTS);
  await sleep(500);
  for (const rig of rigs) rig.destroy();
  return cuts.flatMap(({ chainId, height, atNs }) => {
    const readNs = readAtNs.get(`${chainId}:${height}`);
    return readNs === undefined ? [] : [(readNs - atNs) / 1e6];
  });
}

function chainOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

/** @param readAtNs when it read a job of a chain and height first. */
function rigAt(port: number, readAtNs: Map<string, number>): Socket {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let buffered = '';
  socket.on('data', (bytes) => {
    const atNs = nowNs();
    const lines = (buffered + bytes).split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines.filter((one) => one.includes('mining.notify'))) {
      const { params } = JSON.parse(line) as { params: [string, string] };
      const { chainId, height } = decodeHeader(Buffer.from(params[1], 'hex'));
      const key = `${chainId}:${height}`;
      if (!readAtNs.has(key)) readAtNs.set(key, atNs);
    }
  });
  socket.write('{"id":1,"method":"mining.subscribe","params":["bench/1",null]}\n');
  socket.write('{"id":2,"method":"mining.authorize","params":["k:aa.r","x"]}\n');
  return socket;
}

function quantiles(ms: readonly number[]): { median: number; text: string } {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * sorted.length)] ?? Number.NaN;
  return { median: at(0.5), text: `${at(0.5).toFixed(2)}, ${at(0.99).toFixed(2)}` };
}
