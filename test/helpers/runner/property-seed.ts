/**
 * Property tests of `npm test` take the same values each time, so that a change is judged by what it changes.
 * `test:repeat` and `test:long` take others at each run. What fails tells its seed: `PROPERTY_SEED=…` takes that one.
 */
import fc from 'fast-check';

const SEED = 20_260_101;
const asked = process.env['PROPERTY_SEED'];

if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked ?? SEED) });
