/** In which form rows are asked for. */
import { ConfigError } from '../../config/layers/config-error.js';

export interface Form {
  readonly json: boolean;
  readonly csv: boolean;
  readonly wide: boolean;
}

/** Before anything is done. Throws {@link ConfigError}. */
export function refuseTwoForms({ json, csv, wide }: Partial<Form>): void {
  const asked = Object.entries({ json, csv, wide }).flatMap(([flag, is]) => (is ? [`--${flag}`] : []));
  if (asked.length > 1)
    throw new ConfigError([`${asked.join(' and ')} are two forms of the same: choose one`]);
}
