/**
 * A mining command as an operator would give it to `cpu.mode external`: the target (hex, little-endian) is its last
 * argument, the work is its standard input, the nonce goes to its standard output. Run from dist.
 */
import { readFileSync } from 'node:fs';
import { finishHash, MIDSTATE_BYTES, midstateOf } from '../../../src/core/bytes/blake2s.js';
import { fromHex } from '../../../src/core/bytes/bytes.js';
import { headerFromBytes, withNonce } from '../../../src/core/work/header.js';
import { meetsTarget, targetFromBytes } from '../../../src/core/work/target.js';

const target = targetFromBytes(fromHex(process.argv.at(-1) ?? '') ?? new Uint8Array());
const header = headerFromBytes(readFileSync(0));
const midstate = midstateOf(header);
let nonce = 0n;
while (!meetsTarget(finishHash(midstate, withNonce(header, nonce).subarray(MIDSTATE_BYTES)), target)) nonce++;
process.stdout.write(nonce.toString(16).padStart(16, '0'));
