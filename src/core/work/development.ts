/** Networks of developers are set up by hand: blocks may go without proof of work there, and are nobody's money. */

/** What the operator says of the network; `auto`: its name tells, and one that tells nothing is public. */
export type Development = 'auto' | 'yes' | 'no';

/** By custom such a network is called `development`, `recap-development`, `test-singleton` and the like. */
const DEVELOPERS_NAME = /(?:^|-)development$|^test-/;

/** @param network its name, as its nodes say it. */
export function isForDevelopment(network: string, said: Development = 'auto'): boolean {
  return said === 'auto' ? DEVELOPERS_NAME.test(network) : said === 'yes';
}

const KNOWN_PUBLIC = /^(?:main|test)net\d+$/;

/** Others than its own rigs mine it, whatever these do: `mainnet01`, `testnet04`, or as the operator says. */
export function isKnownPublic(network: string, said: Development = 'auto'): boolean {
  return said === 'auto' ? KNOWN_PUBLIC.test(network) : said === 'no';
}
