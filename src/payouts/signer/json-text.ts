import { z } from 'zod';

/** Text of JSON, for a schema that reads on: `JSON_TEXT.pipe(…)`. What it quotes of the text nobody sees. */
export const JSON_TEXT = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('it is no JSON');
    return z.NEVER;
  }
});
