/** Signs one payment after the other until it is killed, and tells each signature that it was handed. */
import { writeSync } from 'node:fs';
import { openSigner, requestFor } from './requests.js';

const [keyFile = '', from = '1'] = process.argv.slice(2);
const signer = await openSigner(keyFile);
for (let payment = Number(from); ; payment++) {
  const requests = [requestFor(2 * payment), requestFor(2 * payment + 1)];
  const outcomes = await signer.sign(requests);
  for (const [i, { is }] of outcomes.entries()) writeSync(1, `${requests[i]?.paymentId} ${is}\n`);
}
