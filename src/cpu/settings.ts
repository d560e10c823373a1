/** Settings of mining with the CPU. */
import { KERNEL_NAMES } from '../../workers/kernel.js';
import { commandLine } from '../values/lists-and-maps.js';
import { choice, quantity, setting } from '../values/setting.js';
import { CPU_MODES } from './options.js';

export const CPU_SETTINGS = {
  'cpu.mode': choice(CPU_MODES, {
    default: 'fallback',
    basic: true,
    shape: 'MODE',
    help: 'fallback mines with the CPU only while no rig has sent a share for ten minutes; always; off; external runs a command of yours. For nodes without proof of work: simulation, constant-delay, on-demand.',
  }),
  'cpu.threads': quantity('count', [0, 1024], {
    default: 0,
    basic: true,
    help: 'Threads that mine. 0: one less than there are cores, at least one.',
  }),
  'cpu.kernel': choice(['auto', ...KERNEL_NAMES], {
    default: 'auto',
    shape: 'NAME',
    help: `What hashes: ${KERNEL_NAMES.join(', ')}, or auto for the fastest, measured at the start.`,
  }),
  'cpu.hashRate': quantity('hashes', [1, 1e18], {
    default: 1_000_000,
    help: 'Hashes a second that mode simulation pretends to make.',
  }),
  'cpu.blockDelay': quantity('time', ['1ms', '1d'], {
    default: '5s',
    help: 'Time between two blocks of mode constant-delay.',
  }),
  'cpu.command': setting(commandLine, {
    default: [],
    shape: 'COMMAND',
    secret: 'arguments',
    help: 'What mode external runs for each job: it gets the target as its last argument (hex of the little-endian bytes) and the 286 work bytes on standard input, and answers a nonce (16 hex digits, highest first).',
  }),
};
