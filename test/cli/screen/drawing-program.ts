/**
 * A program with the bridge's screen that does what it reads: `draw N` lines, `log N` entries, `status` a line with the
 * number of those, `end` the screen, `exit`. Its argument is the log file, or nothing.
 */
import { createInterface } from 'node:readline';
import { createScreen } from '../../../src/cli/screen/screen.js';

const [file = ''] = process.argv.slice(2);
const screen = await createScreen({ 'log.level': 'info', 'log.format': 'auto', 'log.file': file }, process);
let lines: string[] = [];
let entries = 0;

const ACTS: Readonly<Record<string, (count: number) => void>> = {
  draw(count) {
    lines = Array.from({ length: count }, (_, index) => `block ${index + 1} ${'x'.repeat(300)}`);
    screen.show(async () => lines);
  },
  log(count) {
    for (let n = 0; n < count; n++) screen.log.info(`entry ${++entries}`);
  },
  end: () => screen.end(),
  exit: () => process.exit(7),
};

// Who closes the window does not end this one: it goes on as the bridge does while it stops, and is killed then.
process.on('SIGHUP', () => {
  screen.log.info('hung up');
  setTimeout(() => {
    screen.log.info('after that');
    process.kill(process.pid, 'SIGKILL');
  }, 200);
});
setInterval(() => {}, 60_000);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [name = '', count] = line.split(' ');
    ACTS[name]?.(Number(count));
  })
  .on('error', () => {});
