/** A signer command that does one thing wrong: `odd-signer.js HOW SECRET_BYTE NOTES`. It notes each start in a file. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { requestKeyOf } from '../../../src/chain/request-key.js';
import type { QuicksignRequest } from '../../../src/payouts/signer/quicksign.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { signatureOf } from '../command/sign.js';

const [how = '', number = '1', notes = ''] = process.argv.slice(2);
appendFileSync(notes, `${process.pid}\n`);

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const pair = keyPair(Number(number));
const sign = (cmd: string, signed = cmd): object => ({
  commandSigData: { cmd, sigs: [{ pubKey: keyPair(1).key, sig: signatureOf(signed, pair) }] },
  outcome: { result: 'success', hash: requestKeyOf(cmd) },
});
const say = (value: unknown): void => void process.stdout.write(JSON.stringify(value));

if (how === 'deaf') setInterval(() => undefined, 1000);
else {
  const { cmdSigDatas } = JSON.parse(await standardInput()) as QuicksignRequest;
  const all = cmdSigDatas.map(({ cmd }) => sign(cmd));
  if (how === 'good') say({ responses: all });
  if (how === 'hangs') setInterval(() => undefined, 1000);
  if (how === 'late') setTimeout(() => say({ responses: all }), 5000);
  if (how === 'child') {
    // It ends, and a child of its own holds its output.
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
      stdio: 'inherit',
    });
    appendFileSync(notes, `${pid}\n`);
    say({ responses: all });
    setTimeout(() => process.exit(0), 50);
  }
  if (how === 'dies') {
    process.stdout.write(JSON.stringify({ responses: all }).slice(0, -40));
    process.stderr.write('out of luck\nand more');
    process.exit(1);
  }
  if (how === 'other-bytes')
    say({ responses: cmdSigDatas.map(({ cmd }) => sign(cmd, cmd.replace('1.5', '2.5'))) });
  if (how === 'other-command')
    say({ responses: cmdSigDatas.map(({ cmd }) => sign(cmd.replace('1.5', '2.5'))) });
  if (how === 'twice') say({ responses: [...all, ...all] });
  if (how === 'some') say({ responses: all.slice(1) });
  if (how === 'no-signature')
    say({
      responses: cmdSigDatas.map(({ cmd, sigs }) => ({
        commandSigData: { cmd, sigs },
        outcome: { result: 'success', hash: requestKeyOf(cmd) },
      })),
    });
  if (how === 'other-hash')
    say({
      responses: all.map((one) => ({ ...one, outcome: { result: 'success', hash: requestKeyOf('x') } })),
    });
  if (how === 'no')
    say({
      responses: cmdSigDatas.map((commandSigData) => ({
        commandSigData,
        outcome: { result: 'failure', msg: 'too much' },
      })),
    });
  if (how === 'no-key')
    say({
      responses: cmdSigDatas.map((commandSigData) => ({ commandSigData, outcome: { result: 'noSig' } })),
    });
  if (how === 'reject') say({ error: { type: 'reject' } });
  if (how === 'error') say({ error: { type: 'other', msg: 'the card is not in' } });
  if (how === 'empty') say({ error: { type: 'emptyList' } });
  if (how === 'babble') for (let i = 0; i < 10_000; i++) process.stdout.write('x'.repeat(1000));
  if (how === 'nonsense') process.stdout.write('Segmentation fault');
  if (how === 'shape') say({ responses: [{ commandSigData: {} }] });
  if (how === 'environment') {
    process.stderr.write(Object.keys(process.env).join());
    process.exitCode = 1;
  }
}
