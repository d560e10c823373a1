/** What all files of a run share: it is started when the first of them asks, and ends with the run. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Shared {
  /** How it is reached. */
  readonly address: string;
  close(): Promise<void>;
}

/** As a global setup of vitest has it. */
export interface SharedByAll {
  /** Where {@link addressOf} asks. */
  readonly url: string;
  close(): Promise<void>;
}

export async function shareByAll(start: () => Promise<Shared>): Promise<SharedByAll> {
  let started: Promise<Shared> | undefined;
  const server = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ address }) => response.end(address),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      await (await started)?.close();
    },
  };
}

/** @param what for people. */
export async function addressOf(what: string, url: string): Promise<string> {
  const response = await fetch(url);
  const said = await response.text();
  if (!response.ok) throw new Error(`${what} for all files did not start: ${said}`);
  return said;
}
