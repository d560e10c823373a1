/** Words of the API as sentences of a page. */

/** With a large letter and a full stop. */
export function endedSentence(words: string): string {
  return ended(words.charAt(0).toUpperCase() + words.slice(1));
}

/** With a full stop. It may be a question, and may begin with a name, which stays as it is. */
export function ended(words: string): string {
  return words === '' || /[.?!]$/.test(words) ? words : `${words}.`;
}
