import { z } from 'zod';

/** JSON as a text, for a schema that reads on: `JSON_TEXT.pipe(…)`. The parser's message is not passed on: it quotes the text. */
export const JSON_TEXT = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('it is no JSON');
    return z.NEVER;
  }
});
