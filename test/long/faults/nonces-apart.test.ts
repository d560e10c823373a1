/** Four bridges behind one primary, of which one after the other is killed: no two connections ever search the same. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { ACCOUNT, startProcessesStory } from '../../helpers/stories/processes-story.js';
import { until } from '../../helpers/until.js';

const BRIDGES = 4;
const RIGS = 32;
const KILLS = 6;
const BETWEEN_KILLS_MS = 8_000;

/** What one connection was given: what it searches is a header, as without its nonce, and its own part of the nonce. */
class Given {
  readonly searched: string[] = [];
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(port: number, login: string) {
    this.#ended = this.#run(port, login);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #run(port: number, login: string): Promise<void> {
    while (!this.#isOver) {
      // What is handed to a process in the moment of its death is cut off, and comes again.
      const wire = await WireRig.connect('tcp', port).catch(() => undefined);
      if (wire) await this.#search(wire, login).catch(() => undefined);
      await pause(100);
    }
  }

  async #search(wire: WireRig, login: string): Promise<void> {
    const { result } = await wire.request(1, 'mining.subscribe', ['apart/1', null]);
    const nonce1 = String((result as unknown[])[1]);
    await wire.request(2, 'mining.authorize', [login, 'x']);
    while (!this.#isOver && !wire.closed) await pause(50);
    const headers = wire.notices('mining.notify').map(({ params }) => String(params?.[1]));
    this.searched.push(...new Set(headers.map((header) => `${header} ${nonce1}`)));
    if (!wire.closed) wire.vanish();
  }
}

it('search other nonces, whichever of them is killed', async () => {
  await using folder = await temporaryFolder();
  await using story = await startProcessesStory(folder.path);
  await using program = story.serve(BRIDGES);
  await program.ready();
  const rigs = Array.from({ length: RIGS }, (_, i) => new Given(story.port, `${ACCOUNT}.rig${i % 20}`));
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(BETWEEN_KILLS_MS);
    process.kill(story.pidOf(kill % BRIDGES), 'SIGKILL');
  }
  await until(
    'all are back',
    () => program.lines.filter(({ event }) => event === 'process').length === KILLS,
  );
  await pause(BETWEEN_KILLS_MS);
  await Promise.all(rigs.map((rig) => rig.stop()));
  const all = rigs.flatMap(({ searched }) => searched);
  expect(all.length).toBeGreaterThan(RIGS * KILLS);
  expect(new Set(all).size).toBe(all.length);
  // Of several bridges: their times are of other residues, and so headers of one work differ.
  process.stdout.write(`${all.length} jobs, ${new Set(all.map((one) => one.split(' ')[0])).size} headers\n`);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
