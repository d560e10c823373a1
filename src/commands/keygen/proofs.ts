/** `stratum-bridge keygen proofs`: signs that the owner of an account asks for its proofs. */
import { type Asked, OK } from '../../cli/line/command.js';
import { ownerIn, signedAsk } from './owner.js';

export async function proofs({ words: [file = ''], io }: Asked): Promise<number> {
  io.stdout.write(`${JSON.stringify(signedAsk(await ownerIn(file)))}\n`);
  if (io.stdout.isTTY) io.stdout.write('\nPaste it on the page of your account. It is good for an hour.\n');
  return OK;
}
