/**
 * A database URL, and the options that it asks of each connection (`?options=-c%20…`) apart from it: left in the URL, they
 * would replace those of ours, and with them the schema in which books and queue lie.
 */
export function splitDatabaseUrl(text: string): {
  readonly connectionString: string;
  readonly options: string;
} {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const options = url?.searchParams.get('options') ?? '';
  if (!url || options === '') return { connectionString: text, options: '' };
  url.searchParams.delete('options');
  return { connectionString: url.href, options };
}
