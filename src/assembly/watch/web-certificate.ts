/** The certificate of the web, of a bridge or of a recorder, from the settings. */
import type { BridgeConfig } from '../../config/settings.js';
import { Certificate } from '../../tls/certificate.js';
import { certificateFiles, readAgain } from '../rigs/certificate.js';
import type { Site } from '../site.js';

const KEYS = ['web.tls.certificate', 'web.tls.key', 'web.tls.selfSigned'] as const;
type TlsKey = (typeof KEYS)[number];

interface TlsSite extends Pick<Site, 'log' | 'open'> {
  readonly config: Pick<BridgeConfig, TlsKey | 'dataDir'>;
}

/** `undefined` where plain HTTP is served. Rejects with CertificateError. */
export async function openWebCertificate({ config, log, open }: TlsSite): Promise<Certificate | undefined> {
  const files = await certificateFiles('web', config, log);
  if (!files) return undefined;
  const certificate = await Certificate.open(files, log);
  open.add('web certificate', () => certificate.close());
  return certificate;
}

/** Reads its files again. Resolves with the keys that are in force now. */
export async function applyTls(
  { config, log }: Omit<TlsSite, 'open'>,
  certificate: Certificate | undefined,
): Promise<readonly TlsKey[]> {
  return (await readAgain(certificate, () => certificateFiles('web', config, log), log)) ? KEYS : [];
}
