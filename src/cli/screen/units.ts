const SCALE = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** `20.4 MH/s`: three digits that count, as rigs and pools write it. */
export function formatHashRate(hashesPerSecond: number): string {
  return `${formatScaled(hashesPerSecond)}H/s`;
}

/** `1.23 G`; with a blank before the letter so that a unit can follow it. */
export function formatScaled(value: number): string {
  let scaled = value;
  let step = 0;
  while (scaled >= 999.5 && step < SCALE.length - 1) {
    scaled /= 1000;
    step++;
  }
  const digits = scaled >= 100 || (step === 0 && Number.isInteger(scaled)) ? 0 : scaled >= 10 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${SCALE[step]}`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
