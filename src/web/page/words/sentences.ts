/** Words of the API as sentences of a page. */

/** With a large letter and a full stop; it may be a question. */
export function endedSentence(words: string): string {
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return begun === '' || /[.?!]$/.test(begun) ? begun : `${begun}.`;
}
