/** Flags of a command, made of what an entry of `src/operations` asks for: of the same names, with its words and defaults. */
import { z } from 'zod';
import { listOf } from '../../values/lists-and-maps.js';
import { onOff, type Setting, type Settings, setting } from '../../values/setting.js';
import { oneOf, text } from '../../values/words.js';

/** Where one of a few words may be given, and none need be. */
export const ANY = 'any';

export function flagsOf(shape: Readonly<Record<string, unknown>>): Settings {
  return Object.fromEntries(
    Object.entries(shape).map(([key, type]) => [key, flagOf(key, type as z.ZodType)]),
  );
}

/** Of a body; where it has several kinds, what the first of them has. */
export function shapeOf(body: z.ZodType | undefined): Readonly<Record<string, unknown>> {
  const [first] = body instanceof z.ZodDiscriminatedUnion ? body.options : [body];
  return first instanceof z.ZodObject ? first.shape : {};
}

/** Those keys of a body that flags give. */
export function bodyFrom(config: Readonly<Record<string, unknown>>, keys: readonly string[]): object {
  const isGiven = (value: unknown): boolean => value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(keys.map((key) => [key, config[key]]).filter(([, value]) => isGiven(value)));
}

function flagOf(key: string, type: z.ZodType): Setting {
  const described = type.description ?? '';
  const help = `${described.charAt(0).toUpperCase()}${described.slice(1)}.`;
  const { inner, byDefault } = unwrapped(type);
  if (inner instanceof z.ZodBoolean) return onOff({ default: byDefault ?? false, help, flagOnly: true });
  if (inner instanceof z.ZodArray)
    return setting(listOf(text), { shape: 'TEXT', help, flagOnly: true, repeatable: true, default: [] });
  if (!(inner instanceof z.ZodEnum))
    return setting(text, {
      shape: 'TEXT',
      help,
      flagOnly: true,
      default: byDefault ?? '',
    });
  const words = inner.options.map(String);
  const choices = byDefault === undefined ? [ANY, ...words] : words;
  return setting(oneOf(...(choices as [string, ...string[]])), {
    ...{ choices, default: byDefault ?? ANY, shape: key.toUpperCase(), flagOnly: true },
    help: `${help} One of ${choices.join(', ')}.`,
  });
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly byDefault?: unknown;
}

/** What it is where it is given, and what is meant where it is not. */
function unwrapped(type: z.ZodType): Unwrapped {
  if (type instanceof z.ZodOptional) return unwrapped(type.def.innerType as z.ZodType);
  if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault)
    return { ...unwrapped(type.def.innerType as z.ZodType), byDefault: type.def.defaultValue };
  return { inner: type };
}
