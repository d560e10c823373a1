/**
 * Two bridges behind a balancer, from the files of `config/deploy/machines` as they are: their rigs are seen by their own
 * addresses, search other nonces, and mine on at the other machine whatever becomes of one; all that they were told is booked, once.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { GROUPS_PER_INSTANCE } from '../../../src/bridge/job-roller.js';
import { TIME_RESIDUES } from '../../../src/core/jobs/given-times.js';
import { type Nonce1, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import {
  creationTimeOf,
  type Header,
  headerFromBytes,
  withCreationTime,
} from '../../../src/core/work/header.js';
import { LEADER_LOCK } from '../../../src/ledger/database/leader.js';
import type { Summary } from '../../../src/operations/state.js';
import { startPrometheus } from '../../helpers/alerts/prometheus.js';
import {
  addressOf,
  BALANCER,
  folderOf,
  rigAddress,
  setCable,
  setRoad,
  VISITOR,
  writeFile,
} from '../../helpers/machines/network.js';
import { ACCOUNT, BRIDGES, type BridgeMachine, type Pool, startPool } from '../../helpers/machines/pool.js';
import { asked, countsOf, environmentOf, example, TOKEN } from '../../helpers/machines/programs.js';
import { run } from '../../helpers/processes/isolated.js';
import { runProgram } from '../../helpers/processes/program.js';
import { search } from '../../helpers/rigs/wandering-rig.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { until } from '../../helpers/until.js';
import { ROOT } from '../../helpers/web/pages.js';

const PORT = 1917;
/** Code of the error. */
const UNKNOWN_JOB = 21;
/** Acknowledged at a machine whose books are away, before it is cut off. */
const LEFT_BEHIND = 20;

export async function machines(): Promise<void> {
  await using pool = await startPool();
  await seesRigsByTheirAddresses(pool);
  await showsOnePage(pool);
  const byHand = await keepsNoncesApart(pool);
  await refusesStrangers(pool);
  await sumsByPrometheus(pool);
  await outlivesOneThatIsCutOff(pool);
  await outlivesOneThatIsKilled(pool);
  await isUpdatedWhileRigsMine(pool);
  await hasBookedWhatItAcknowledged(pool, byHand);
}

const summaryOf = (machine: BridgeMachine): Promise<Summary> => asked<Summary>(machine, '/api/v1/summary');

async function seesRigsByTheirAddresses({ rigs, peersAt }: Pool): Promise<void> {
  const addresses = rigs.map((_, i) => rigAddress(i + 1));
  const seen = await until('rigs are at both machines, each at one', async () => {
    const [first = [], second = []] = await Promise.all(BRIDGES.map(peersAt));
    const all = [...first, ...second].map((peer) => peer.split(':')[0]);
    const isAll = all.length === addresses.length && addresses.every((address) => all.includes(address));
    return isAll && first.length > 0 && second.length > 0 && [first.length, second.length];
  });
  await until('all of them mine', () => rigs.every((rig) => countsOf(rig).accepted > 0));
  tell(`rigs at the machines: ${seen.join(' and ')}, each by its own address`);
  await until('each machine shows all of them', async () => {
    const [first, second] = await Promise.all(BRIDGES.map(summaryOf));
    const { total } = await asked<{ total: number }>('machine2', '/api/v1/rigs?state=online');
    return first?.sessions === rigs.length && second?.sessions === rigs.length && total === rigs.length;
  });
}

/** By the balancer's address, at either machine by turns. */
async function showsOnePage({ rigs }: Pool): Promise<void> {
  const url = `http://${addressOf('balancer')}:1920`;
  const signedIn = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? assert.fail();
  const summary = async (): Promise<Summary | undefined> => {
    const answer = await fetch(`${url}/api/v1/summary`, { headers: { cookie, connection: 'close' } });
    return answer.status === 200 ? ((await answer.json()) as Summary) : undefined;
  };
  // The other one hears of the key within ten seconds.
  const seen = new Set<number | null>();
  await until('both machines answer who has signed in at one', async () => {
    const answered = await summary();
    return answered !== undefined && seen.add(answered.instance).size === BRIDGES.length;
  });
  for (let i = 0; i < 20; i++) assert.equal((await summary())?.sessions, rigs.length);
  tell('one page shows both machines, and one session holds at both');
}

/** A rig by hand, with the easiest shares that there are. */
interface Given {
  readonly machine: BridgeMachine;
  readonly wire: WireRig;
  readonly login: string;
  readonly nonce1: Nonce1;
}

/**
 * What two machines give for the same work differs by the residue of its creation time: each number has its own. And a share of one
 * is none at the other. Resolves with how many shares were acknowledged.
 */
async function keepsNoncesApart({ peersAt }: Pool): Promise<number> {
  const given: Given[] = [];
  for (let i = 0; i < 8; i++) given.push(await comeByHand(i, peersAt));
  const headersAt = (machine: BridgeMachine): Header[] =>
    given.filter((each) => each.machine === machine).flatMap(({ wire }) => headersOf(wire));
  const workOf = (header: Header): string => Buffer.from(withCreationTime(header, 0n)).toString('hex');
  const both = await until('both have given jobs of the same work', () => {
    const [first, second] = BRIDGES.map(headersAt) as [Header[], Header[]];
    const works = new Set(first.map(workOf));
    return second.some((header) => works.has(workOf(header))) && [first, second];
  });
  const numbers = both.map((headers) => [...new Set(headers.map(numberOf))]);
  const instances = (await Promise.all(BRIDGES.map(summaryOf))).map(({ instance }) => [instance]);
  assert.deepEqual(numbers, instances);
  assert.notDeepEqual(numbers[0], numbers[1]);
  tell(`numbers of the machines: ${numbers.join(' and ')}`);
  const [here, there] = BRIDGES.map((machine) => given.find((each) => each.machine === machine));
  const shares = await countsAtOneAlone(here ?? assert.fail(), there ?? assert.fail());
  for (const { wire } of given) wire.vanish();
  return shares;
}

async function countsAtOneAlone(here: Given, there: Given): Promise<number> {
  const shares = await until('a share is good', async () => {
    const [jobId = '', header = ''] = newestOf(here.wire, 'mining.notify');
    const [target = ''] = newestOf(here.wire, 'mining.set_target');
    const nonce2 = search({ jobId, header, target, nonce1: here.nonce1 });
    const submit = async ({ wire, login }: Given): Promise<unknown> => {
      const { result, error } = await wire.request(nonce2, 'mining.submit', [login, jobId, nonce2]);
      return result === true || error?.[0];
    };
    // A block may have come meanwhile.
    if ((await submit(here)) !== true) return false;
    assert.equal(await submit(there), UNKNOWN_JOB);
    return 1;
  });
  tell('a share of machine1 is of no job that machine2 knows');
  return shares;
}

const newestOf = (wire: WireRig, method: string): string[] =>
  (wire.notices(method).at(-1)?.params ?? []) as string[];

const numberOf = (header: Header): number =>
  Math.floor(Number(creationTimeOf(header) % BigInt(TIME_RESIDUES)) / GROUPS_PER_INSTANCE);

function headersOf(wire: WireRig): Header[] {
  const texts = wire.notices('mining.notify').map(({ params }) => String(params?.[1]));
  return texts.map((text) => headerFromBytes(Buffer.from(text, 'hex')));
}

async function comeByHand(number: number, peersAt: Pool['peersAt']): Promise<Given> {
  const wire = await WireRig.connect('tcp', PORT, { host: BALANCER, localAddress: VISITOR });
  const login = `${ACCOUNT}.hand${number}`;
  const { result } = await wire.request(1, 'mining.subscribe', ['by-hand/1', null]);
  await wire.request(2, 'mining.authorize', [login, 'fd=65536']);
  const nonce1 = nonce1FromHex(String((result as unknown[])[1])) ?? assert.fail();
  await until('it has a job', () => wire.notices('mining.notify').length > 0);
  const peer = `${VISITOR}:${wire.socket.localPort}`;
  const machine = await until('it is seen', async () => {
    for (const each of BRIDGES) if ((await peersAt(each)).includes(peer)) return each;
    return undefined;
  });
  return { machine, wire, login, nonce1 };
}

/** From the private network, but not the balancer. */
async function refusesStrangers({ peersAt }: Pool): Promise<void> {
  for (const machine of BRIDGES) {
    const header = `PROXY TCP4 198.51.100.9 ${addressOf(machine)} 5000 ${PORT}\r\n`;
    for (const preamble of [Buffer.from(header), Buffer.alloc(0)]) {
      const wire = await WireRig.connect('tcp', PORT, { host: addressOf(machine), preamble });
      wire.send('{"id":1,"method":"mining.subscribe","params":["stranger/1"]}');
      await wire.untilClosed();
      assert.deepEqual(wire.lines, []);
    }
    assert.equal((await peersAt(machine)).filter((peer) => peer.startsWith('198.51.')).length, 0);
  }
  tell('a PROXY header of a stranger, and a stranger without one, are closed without an answer');
}

async function sumsByPrometheus({ rigs }: Pool): Promise<void> {
  const folder = '/mnt/prometheus';
  writeFile(`${folder}/prometheus.yml`, example('prometheus.yml'));
  writeFile(`${folder}/web-read-token`, TOKEN, 0o600);
  writeFile(`${folder}/rules.yml`, await readFile(`${ROOT}/config/deploy/prometheus/rules.yml`, 'utf8'));
  await using prometheus = await startPrometheus(`${folder}/prometheus.yml`, folder);
  const numberBy = async (expression: string): Promise<number> =>
    Number((await prometheus.ask(expression))[0]?.value[1] ?? Number.NaN);
  await until('all are scraped', async () => (await numberBy('sum(up)')) === 3);
  await until(
    'rigs are summed',
    async () => (await numberBy('sum(stratum_bridge_sessions)')) === rigs.length,
  );
  await until('books are read', async () => (await numberBy('max(stratum_bridge_ledger_shares)')) > 0);
  tell(`Prometheus sums ${await numberBy('sum(stratum_bridge_hashes_per_second)')} hashes a second`);
}

async function leaderOf({ books }: Pool): Promise<string | undefined> {
  const text = `SELECT host(client_addr) AS address FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objid = $1`;
  return (await books.ask<{ address: string }>(text, [LEADER_LOCK]))[0]?.address;
}

/** Resolves with how long it took, in seconds. */
async function untilLeads(pool: Pool, machine: BridgeMachine): Promise<number> {
  const fromMs = performance.now();
  await until(`${machine} leads`, async () => (await leaderOf(pool)) === addressOf(machine));
  return Math.round((performance.now() - fromMs) / 1000);
}

/** First its books are away, so that acknowledged shares lie on its disk alone. Then nothing reaches it. */
async function outlivesOneThatIsCutOff(pool: Pool): Promise<void> {
  await until('the first leads', async () => (await leaderOf(pool)) === addressOf('machine1'));
  setRoad('machine1', 'books', false);
  const leading = untilLeads(pool, 'machine2');
  await until('shares wait on its disk', async () => {
    const { unshipped = 0 } = (await summaryOf('machine1')).queue;
    return unshipped > LEFT_BEHIND;
  });
  setCable('machine1', false);
  const seconds = await pool.untilAllMineAt('machine2');
  const words = `the other leads ${await leading} s after the books were out of reach`;
  tell(`cut off: all rigs at the other after ${seconds.toFixed(1)} s; ${words}`);
  setCable('machine1', true);
  setRoad('machine1', 'books', true);
  await until('it has shipped what it had', async () => {
    const summary = await summaryOf('machine1').catch(() => undefined); // its road is not there yet
    return summary?.queue.isUp === true && summary.queue.unshipped === 0;
  });
  await until(
    'it is let in',
    async () => (await asked<{ status: string }>('machine1', '/readyz')).status === 'ready',
  );
}

/** While all rigs are there. */
async function outlivesOneThatIsKilled(pool: Pool): Promise<void> {
  const { pid, ended } = pool.bridges.machine2;
  run('kill', ['-KILL', String(pid)]);
  const seconds = await pool.untilAllMineAt('machine1');
  await ended;
  tell(`killed: all rigs at the other after ${seconds.toFixed(1)} s`);
  await pool.start('machine2');
}

/** As the page tells it, for the first machine. */
async function isUpdatedWhileRigsMine(pool: Pool): Promise<void> {
  const words = ['ctl', 'drain', '--over', '20s', '--stop', '--data-dir', folderOf('machine1')];
  const draining = runProgram(words);
  const seconds = await pool.untilAllMineAt('machine2');
  const { code, stderr } = await draining;
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(await pool.bridges.machine1.ended, 0);
  tell(`drained: all rigs at the other after ${seconds.toFixed(1)} s of 20`);
  await pool.start('machine1');
}

/** @param byHand shares of rigs that are not among these. */
async function hasBookedWhatItAcknowledged({ rigs, books }: Pool, byHand: number): Promise<void> {
  for (const rig of rigs) rig.kill('SIGTERM');
  await Promise.all(rigs.map((rig) => rig.ended));
  const sumOf = (of: 'accepted' | 'unanswered'): number =>
    rigs.reduce((sum, rig) => sum + countsOf(rig)[of], 0);
  const [accepted, unanswered] = [sumOf('accepted') + byHand, sumOf('unanswered')];
  await until('all is shipped', async () => {
    const queues = (await Promise.all(BRIDGES.map(summaryOf))).map(({ queue }) => queue);
    return queues.every(({ unshipped, waiting }) => unshipped === 0 && waiting === 0);
  });
  const text = `SELECT coalesce(sum(submits), 0)::int AS shares FROM stratum_bridge.rig_work WHERE kind = 0`;
  const booked = await until('all is booked', async () => {
    const [row] = await books.ask<{ shares: number }>(text);
    return row !== undefined && row.shares >= accepted && row.shares;
  });
  tell(`${accepted} shares acknowledged, ${unanswered} unanswered, ${booked} booked`);
  assert.ok(booked <= accepted + unanswered, 'nothing is booked twice');
  for (const { submits } of await Promise.all(BRIDGES.map(summaryOf))) assert.equal(submits.duplicate, 0);
  const env = environmentOf('books', ACCOUNT);
  const { text: proof, code } = await runProgram(['ledger', 'verify', '--json'], env);
  assert.equal(code, 0, proof);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
