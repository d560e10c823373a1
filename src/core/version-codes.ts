/**
 * The code by which headers name their network (bytes 266..269), of networks that are known by name; there may be others
 * (protocol notes A.1, F).
 */
export const VERSION_CODES = {
  mainnet01: 5,
  testnet04: 7,
  testnet06: 8,
  stoa: 10,
  development: 2,
  'recap-development': 1,
  'test-singleton': 0x80000000,
} as const;

export function versionCodeOf(network: string): number | undefined {
  return (VERSION_CODES as Readonly<Record<string, number>>)[network];
}

/** Networks of developers and tests are set up by hand: their code, graph and proof of work may be otherwise. */
export function isForDevelopment(network: string): boolean {
  return /(?:^|-)development$|^test-/.test(network);
}

/** Whether the code is that of such a network, as far as codes are known by name. */
export function isCodeForDevelopment(code: number): boolean {
  return Object.entries(VERSION_CODES).some(
    ([network, known]) => known === code && isForDevelopment(network),
  );
}
