/** Settings of TLS, the same wherever it stands. */
import { onOff, setting } from '../values/setting.js';
import { text } from '../values/words.js';

/** @param help what a certificate does there. @param basic whether a short help shows the files. */
export function tlsSettings<S extends string>(section: S, help: string, basic: boolean) {
  const file = (what: string) => setting(text, { default: '', basic, shape: 'FILE', live: true, help: what });
  return {
    [`${section}.tls.certificate`]: file(`PEM certificate. ${help}; read again when it changes.`),
    [`${section}.tls.key`]: file('PEM key of that certificate.'),
    [`${section}.tls.selfSigned`]: onOff({
      default: false,
      live: true,
      help: 'Make a self-signed pair under the data directory and use it.',
    }),
  } as Record<`${S}.tls.certificate` | `${S}.tls.key`, ReturnType<typeof file>> &
    Record<`${S}.tls.selfSigned`, ReturnType<typeof onOff>>;
}
