/** The certificates of the rigs' ports and of the web, from the settings. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeDurably } from '../../files/write-durably.js';
import { Certificate, type CertificateFiles } from '../../tls/certificate.js';
import { makeSelfSigned } from '../../tls/self-signed.js';
import type { Site } from '../site.js';

const SELF_SIGNED_DAYS = 3650;

/** `undefined` where rigs connect without TLS. Rejects with CertificateError. */
export async function openCertificate({ config, log, open }: Site): Promise<Certificate | undefined> {
  const files = await certificateFiles('stratum', config, log);
  if (!files) return undefined;
  const certificate = await Certificate.open(files, log);
  open.add('certificate', () => certificate.close());
  return certificate;
}

type Section = 'stratum' | 'web';
type TlsConfig<S extends Section> = Pick<
  BridgeConfig,
  `${S}.tls.certificate` | `${S}.tls.key` | `${S}.tls.selfSigned` | 'dataDir'
>;

/** A pair of one's own, the same for rigs and web, is made where it is asked for and there is none yet. */
export async function certificateFiles<S extends Section>(
  section: S,
  config: TlsConfig<S>,
  log: Log,
): Promise<CertificateFiles | undefined> {
  const certificateFile = config[`${section}.tls.certificate`];
  if (certificateFile !== '') return { certificateFile, privateKeyFile: config[`${section}.tls.key`] };
  return config[`${section}.tls.selfSigned`] ? selfSignedFiles(join(config.dataDir, 'tls'), log) : undefined;
}

/**
 * Reads the files in which the pair is now. False when the former one stays in force: they hold none, or this process was
 * started without TLS, which takes a new start.
 */
export async function readAgain(
  certificate: Pick<Certificate, 'read'> | undefined,
  findFiles: () => Promise<CertificateFiles | undefined>,
  log: Log,
): Promise<boolean> {
  try {
    const files = certificate && (await findFiles());
    if (!files) return false;
    await certificate.read(files);
    return true;
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'the former certificate stays in force');
    return false;
  }
}

/** Made once: rigs that have been told to trust it go on doing so. */
async function selfSignedFiles(folder: string, log: Log): Promise<CertificateFiles> {
  const files = { certificateFile: join(folder, 'certificate.pem'), privateKeyFile: join(folder, 'key.pem') };
  if (existsSync(files.certificateFile) && existsSync(files.privateKeyFile)) return files;
  const hosts = [hostname(), 'localhost', '127.0.0.1', '::1'];
  const pair = makeSelfSigned({ hosts, nowMs: Date.now(), days: SELF_SIGNED_DAYS, serial: randomBytes(16) });
  makeFolder(folder, 0o700);
  // Whenever it ends here, the next start finds both of one pair, or makes them anew.
  await rm(files.certificateFile, { force: true });
  await writeDurably(files.privateKeyFile, pair.privateKey);
  await writeDurably(files.certificateFile, pair.certificate, { mode: 0o644 });
  log.info({ ...files, hosts }, 'made a self-signed certificate');
  return files;
}
