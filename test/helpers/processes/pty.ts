/** A program on a real terminal of the kernel, seen through an emulator. */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { createEmulator, type Emulator } from '../rigs/emulator.js';

/** Nothing in Node.js makes one: it sets its size, passes bytes on, and hangs up when it is told to. It ends with its input. */
const RELAY = `
import fcntl, json, os, pty, select, signal, struct, sys, termios
columns, rows = int(sys.argv[1]), int(sys.argv[2])
def resize(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
pid, terminal = pty.fork()
if pid == 0:
    resize(0, columns, rows)
    os.execvp(sys.argv[3], sys.argv[3:])
modes = termios.tcgetattr(terminal)
modes[3] &= ~termios.ECHO
termios.tcsetattr(terminal, termios.TCSANOW, modes)
def ended():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
def obey(order):
    if 'type' in order: os.write(terminal, order['type'].encode())
    if 'resize' in order: resize(terminal, *order['resize'])
    if 'signal' in order: os.kill(pid, order['signal'])
    if 'hangup' in order:
        os.close(terminal)
        ended()
orders = b''
while True:
    ready, _, _ = select.select([0, terminal], [], [])
    if terminal in ready:
        try: data = os.read(terminal, 65536)
        except OSError: data = b''
        if not data: ended()
        while data: data = data[os.write(1, data):]
    if 0 in ready:
        more = os.read(0, 65536)
        if not more:
            # Who wanted to see it is gone.
            os.kill(pid, signal.SIGKILL)
            ended()
        *lines, orders = (orders + more).split(b'\\n')
        for line in lines: obey(json.loads(line))
`;

/** Nothing here can make a terminal: for whoever has to say so. */
export const noTerminals = spawnSync('python3', ['-c', 'import fcntl, pty, termios']).status !== 0;

export interface OnTerminal extends AsyncDisposable {
  readonly emulator: Emulator;
  type(line: string): void;
  /** As when somebody pulls at the window. */
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  /** As when somebody closes the window. */
  hangUp(): void;
  /** Resolves with the exit code, once all that was written is on the screen; after a signal with 256 less its number. */
  readonly ended: Promise<number>;
}

export function startOnTerminal(
  [columns, rows]: readonly [number, number],
  command: readonly string[],
  env: Record<string, string> = {},
): OnTerminal {
  const emulator = createEmulator(columns, rows);
  const child = spawn('python3', ['-c', RELAY, String(columns), String(rows), ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color', ...env },
  });
  let shown = Promise.resolve();
  child.stdout.on('data', (data: Buffer) => {
    shown = emulator.write(data);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => void shown.then(() => resolve(code ?? -1)));
  });
  child.stdin.on('error', () => {}); // it has ended, which `ended` tells
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    emulator,
    type: (line) => order({ type: `${line}\n` }),
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      order({ resize: [toColumns, toRows] });
    },
    kill: (signal) => order({ signal: constants.signals[signal] }),
    hangUp: () => order({ hangup: true }),
    ended,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
