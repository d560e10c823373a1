/** Several bridges behind one primary: whichever is asked, one machine answers. */
import { request } from 'undici';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { startProgram } from '../../helpers/processes/program.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { ACCOUNT, type ProcessesStory, startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';
import { bearer, READ } from '../../helpers/web/operators.js';

interface Summary {
  readonly instance: number;
  readonly sessions: number;
  readonly bridges: readonly { readonly instance: number; readonly sessions: number | null }[];
}

interface Session {
  readonly bridge: number;
  readonly id: number;
  readonly openedAt: string;
  readonly logins: readonly { readonly rig: string }[];
}

async function connectRig(port: number, name: string): Promise<WireRig> {
  const rig = await WireRig.connect('tcp', port);
  await rig.request(1, 'mining.subscribe', ['asic/1']);
  await rig.request(2, 'mining.authorize', [`${ACCOUNT}.${name}`, 'x']);
  return rig;
}

/** By a connection of its own, as a balancer's looks come. What is handed to a process in the moment of its death has no answer. */
async function get(story: ProcessesStory, path: string, headers: Record<string, string> = bearer(READ)) {
  const answer = await request(story.webUrl + path, {
    headers: { connection: 'close', ...headers },
    signal: AbortSignal.timeout(10_000),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const summaryOf = async (story: ProcessesStory): Promise<Summary> =>
  JSON.parse((await get(story, '/api/v1/summary')).text) as Summary;

const bySession = (text: string): number[] =>
  Array.from(text.matchAll(/^stratum_bridge_sessions\{bridge="\d"\} (\d+)$/gm), ([, count]) => Number(count));

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('share ports, page, orders and metrics; one that dies is started again; all stop in order when the primary is gone', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  const program = story.serve(2);
  const { processes } = await program.ready();
  expect(processes).toBe(2);

  // In turn, and each once in the list.
  const names = Array.from({ length: 20 }, (_, i) => `rig${i}`);
  const rigs = await Promise.all(names.map((name) => connectRig(story.port, name)));
  await until('both show what they have', async () => {
    const { bridges } = await summaryOf(story);
    return bridges.length === 2 && bridges.every(({ sessions }) => sessions === rigs.length / 2);
  });
  // One that is busy for two seconds is left out.
  await expect.poll(async () => bySession((await get(story, '/metrics')).text)).toEqual([10, 10]);
  expect((await get(story, '/readyz', {})).status).toBe(200);
  const { code, text } = await runHere('doctor', ['--data-dir', story.dataDir]);
  expect([code, text]).toEqual([0, expect.stringContaining('node http')]);

  // A link that one has made signs in at whichever it is opened, once, and the session holds at all.
  const { url } = (await story.ask('web')) as { readonly url: string };
  const signIn = () =>
    request(`${story.webUrl}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ link: url.split('#link=')[1] }),
    });
  const { headers } = await signIn();
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const asked = new Set<number>();
  await until('both have answered', async () => {
    const { status, text } = await get(story, '/api/v1/summary', { cookie });
    expect(status).toBe(200);
    return asked.add((JSON.parse(text) as Summary).instance).size === 2;
  });
  expect((await signIn()).statusCode).toBe(401);

  // An order reaches the session at whichever bridge it is.
  const sessions = await until('those of both are listed', async () => {
    const all = (await story.ask('ctl', 'sessions')) as Session[];
    return [0, 1].every((bridge) => all.some((session) => session.bridge === bridge)) && all;
  });
  for (const bridge of [0, 1]) {
    const one = sessions.find((session) => session.bridge === bridge);
    // One that is busy for two seconds does not answer in time: then its rig tells.
    await story.ask('ctl', 'close', `${bridge}/${one?.id}@${one?.openedAt}`).catch((error: Error) => {
      expect(error.message).toContain('did not answer');
    });
    await rigs[names.indexOf(one?.logins[0]?.rig ?? '')]?.untilClosed();
  }

  // One is killed: rigs are let in all the time, and it is there again.
  const pid = story.pidOf(1);
  process.kill(pid, 'SIGKILL');
  // What is handed to it in the moment of its death is cut off, and comes again.
  const meanwhile = await until('a rig is let in', () =>
    connectRig(story.port, 'meanwhile').catch(() => undefined),
  );
  meanwhile.vanish();
  await until('two are shown again', async () => {
    const { bridges = [] } = (await summaryOf(story).catch(() => undefined)) ?? {};
    return (
      story.pidOf(1) !== pid && bridges.length === 2 && bridges.every(({ sessions }) => sessions !== null)
    );
  });
  expect(program.last('process')).toMatchObject({ level: 'error', end: 'SIGKILL' });

  const pids = [story.pidOf(0), story.pidOf(1)];
  program.kill('SIGKILL');
  await program.ended;
  await until('they have stopped', () => !pids.some(isThere));
  const reasons = program.lines.filter(({ event }) => event === 'stopping').map(({ reason }) => reason);
  expect(reasons).toEqual(['parent ended', 'parent ended']);
  expect(program.lines.filter(({ event }) => event === 'stopped')).toHaveLength(2);
});

it('one that is killed while rigs come is started again, and they come back', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  const program = story.serve(1);
  await program.ready();
  await using rig = new SteadyRig(story.port, `${ACCOUNT}.steady`);
  await until('it mines', () => rig.accepted > 5);
  const before = rig.accepted;
  process.kill(story.pidOf(0), 'SIGKILL');
  await until('it mines again', () => rig.cut > 0 && rig.accepted > before + 5);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});

it('are not started where a port is taken, or one of them cannot start', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  const first = story.serve('off');
  await first.ready();
  await using other = await temporaryFolder();
  const [port, web] = [`127.0.0.1:${story.port}`, story.webUrl.slice('http://'.length)];
  const words = (tcp: string, listen: string) => [
    ...['serve', '--processes', '2', '--data-dir', other.path, '--node-urls', 'http://127.0.0.1:1'],
    ...['--miner-account', ACCOUNT, '--stratum-tcp', tcp, '--stratum-ws', 'off', '--web-listen', listen],
  ];
  for (const [args, key] of [
    [words(port, 'off'), 'stratum.tcp'],
    [words('off', web), 'web.listen'],
    [[...words('off', 'off'), '--instance', '3'], 'instance'],
  ] as const) {
    await using program = startProgram(args);
    expect(await program.ended).toBe(key === 'instance' ? 2 : 1);
    expect(program.stderr()).toContain(`${key}: `);
  }
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});
