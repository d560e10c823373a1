/** Values of settings as people wrote them. */

export function valueWords(value: unknown): string {
  if (value === '' || value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueWords).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
