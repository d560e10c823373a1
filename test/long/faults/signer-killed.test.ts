/** A signer that is killed at any moment (28): what it handed out is in its log, and it goes on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { keyIn, openSigner, requestFor } from '../../payouts/signer/requests.js';

const PROCESS = fileURLToPath(
  new URL('../../../dist/test/payouts/signer/signing-process.js', import.meta.url),
);

/** Lines that it wrote before it was killed, behind so many of them. */
async function killedAfter(lines: number, keyFile: string, from: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROCESS, keyFile, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.split('\n').length > lines) child.kill('SIGKILL');
  }
  if (child.signalCode === null) await once(child, 'exit');
  return text.split('\n').slice(0, -1);
}

it('has in its log what it handed out, whenever it is killed', async () => {
  await using folder = await temporaryFolder();
  const keyFile = await keyIn(folder.path);
  let from = 1;
  for (const lines of [1, 2, 3, 5, 8, 13, 21, 34]) {
    const told = await killedAfter(lines, keyFile, from);
    expect(told.length).toBeGreaterThanOrEqual(lines);
    expect(told.filter((line) => !line.endsWith(' signed'))).toEqual([]);
    const payments = told.map((line) => Number(line.split(' ')[0]));
    const signer = await openSigner(keyFile);
    const again = await signer.sign(
      payments.flatMap((id) => [requestFor(id, { ttlS: 901 }), requestFor(id)]),
    );
    expect(again.map(({ is }) => is)).toEqual(payments.flatMap(() => ['refused', 'signed']));
    await signer.close();
    from = Math.max(...payments) + 10;
  }
});
