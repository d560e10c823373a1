/** A bridge in a few lines, for the live screen and for `status`. Each fits 80 columns with what is usual. */
import { Help } from 'commander';
import { countsText } from '../../operations/entry/columns.js';
import { counted } from '../../operations/entry/words.js';
import type { Summary } from '../../operations/state.js';
import { formatDuration, formatHashRate, formatScaled } from './units.js';

/** Of a line, what stands before the words. */
const INDENT = 13;

export function row(name: string, words: string): string {
  return `  ${name.padEnd(INDENT - 4)}  ${words}`;
}

interface More {
  /** In place of the hash rate by shares alone. */
  readonly rate?: string;
  /** Lines of rigs. */
  readonly rigs?: readonly string[];
}

export function summaryLines(summary: Summary, { rate, rigs = [] }: More = {}): string[] {
  const { sessions, ports, submits, solutions, works, whyReleased, queue, ledger, alerts } = summary;
  return [
    `  ${nameOf(summary)}`,
    ...nodeLines(summary),
    ...(whyReleased === null ? [] : [row('work', `dead, rigs are let go: ${whyReleased}`)]),
    row('hash rate', rate ?? `${formatHashRate(summary.hashesPerSecond)} by shares`),
    ...bridgeLines(summary),
    row('sessions', `${sessions} (${portWords(ports)})`),
    ...rigs,
    row('submits', countsText(submits) || 'none yet'),
    row('solutions', countsText({ ...solutions }) || 'none yet'),
    row('chains', chainWords(works)),
    row('ledger', ledgerWords(ledger)),
    // The ledger counts.
    ...ledger.differingRules.map((words, i) => row(i === 0 ? 'rules' : '', words)),
    row('queue', queueWords(queue)),
    ...(alerts === 0 ? [] : [row('alerts', `${alerts} open: \`stratum-bridge alerts list\` shows them`)]),
  ];
}

function nameOf({ version, instance, startedAt }: Summary): string {
  const number = instance === null ? '' : `, instance ${instance}`;
  return `stratum-bridge ${version}${number}, up ${formatDuration(Date.now() - Date.parse(startedAt))}`;
}

/** Most of a node's address is the same for all. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** With how many came in by each, where there are several ports. */
function portWords(ports: Summary['ports']): string {
  const words = ports.map(({ name, port, sessions }) =>
    ports.length > 1 ? `${name} ${port}: ${sessions}` : `${name} ${port}`,
  );
  return words.join(', ') || 'off';
}

function nodeLines({ nodes }: Summary): string[] {
  const lines = nodes.map(({ url, bridge, network, state, isActive, reason }) => {
    const of = bridge === null ? '' : `, of bridge ${bridge}`;
    const why = state === 'healthy' ? '' : `: ${reason}`;
    return row(
      'node',
      `${[hostOf(url), network].filter(Boolean).join(' ')} ${isActive ? 'in use, ' : ''}${state}${of}${why}`,
    );
  });
  return lines.length > 0 ? lines : [row('node', 'none is set')];
}

/** Where there are several. */
function bridgeLines({ bridges }: Summary): string[] {
  if (bridges.length < 2) return [];
  return bridges.map(({ instance, place, sessions, hashesPerSecond }, i) => {
    const does =
      sessions === null
        ? 'has shown nothing that can be read, and is in no number here'
        : `${counted(sessions, 'session')}, ${formatHashRate(hashesPerSecond ?? 0)}`;
    return row(`bridge ${instance ?? ''}`, `${place}${i === 0 ? ' (this one)' : ''}: ${does}`);
  });
}

/** A work is of the block after the last one. */
function chainWords(works: Summary['works']): string {
  const sorted = works.toSorted((a, b) => a.chainId - b.chainId);
  const chains = sorted.map(({ chainId, height }) => `${chainId}:${height - 1}`);
  if (chains.length === 0) return 'no work yet';
  if (chains.length <= FEW_CHAINS) return chains.join(' ');
  const all = works.map(({ height }) => height - 1);
  return `${chains.length} with work, at heights ${Math.min(...all)} to ${Math.max(...all)}`;
}

/** As many as have room in a line with their heights. */
const FEW_CHAINS = 6;

function ledgerWords({ isUp, shares, work }: Summary['ledger']): string {
  if (shares === undefined) return 'away, and not heard of yet';
  const totals = `${shares} shares, ${formatScaled(Number(work))}hashes`;
  return isUp ? totals : `away; the last known: ${totals}`;
}

function queueWords({
  isUp,
  backend,
  waiting = 0,
  failed = 0,
  heldBack = 0,
  oldestMs = 0,
}: Summary['queue']): string {
  if (backend === undefined) return 'away, and not heard of yet';
  const counts = countsText({ waiting, 'held back': heldBack, 'set aside': failed }) || 'empty';
  const since = heldBack > 0 ? `, the oldest share for ${formatDuration(oldestMs)}` : '';
  return `${backend}${isUp ? '' : ' is away; the last known'}: ${counts}${since}`;
}

/** A line of these that has no room goes on below its words. */
export function wrapped(line: string, room: number): string {
  const help = Object.assign(new Help(), { minWidthToWrap: 1 });
  const words = help.boxWrap(line.slice(INDENT), Math.max(20, room - INDENT));
  return line.slice(0, INDENT) + words.replaceAll('\n', `\n${' '.repeat(INDENT)}`);
}
