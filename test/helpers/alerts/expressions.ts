/** PromQL of the board and the rules, as a test asks it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: { readonly severity?: string };
}

export function rulesIn(file: string): readonly Rule[] {
  const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

export function panelsIn(file: string): readonly Panel[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] }).panels;
}

/** With what Grafana would put in place of its variables. */
export function asGrafanaAsks(expr: string): string {
  const values: Record<string, string> = { $instance: '.*', $__rate_interval: '1m', $__range: '1h' };
  return expr.replace(/\$\w+/g, (variable) => {
    const value = values[variable];
    if (value === undefined) throw new Error(`what is ${variable} in ${expr}?`);
    return value;
  });
}

/**
 * An alert's expression, made to answer 0 or 1 in place of nothing or something: so it has a value whenever the series that it
 * names are there.
 */
export function asQuestion(expr: string): string {
  // What stands in braces compares labels.
  return expr.replace(/\{[^}]*\}|[=!]=|[<>]=?/g, (found) =>
    found.startsWith('{') ? found : `${found} bool`,
  );
}
