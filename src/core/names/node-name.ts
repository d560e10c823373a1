/** Scheme, user and password of a URL as an operator writes it; readers of URLs mind no slash too many, nor which way it leans. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:)[/\\]+[^/?#\\]*@/i;

/** What a node is called everywhere, in logs, jobs and books too: its URL without the credentials that may stand in it. */
export function nodeNameOf(url: string): string {
  return url.replace(CREDENTIALS, '$1//');
}
