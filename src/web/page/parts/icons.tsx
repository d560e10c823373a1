/** Signs beside words, and on buttons that have a name for ears: lines on a ground of 24 by 24. */
const PATHS = {
  overview: 'M4 13h7V4H4zM13 20h7v-9h-7zM13 8h7V4h-7zM4 20h7v-4H4z',
  rigs: 'M7 7h10v10H7zM9 3v4M15 3v4M9 17v4M15 17v4M3 9h4M3 15h4M17 9h4M17 15h4',
  accounts: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c0-3 3-5 8-5s8 2 8 5',
  blocks: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  payouts: 'M3 7h18v11H3zM3 11h18M7 15h3',
  nodes: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4 4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  close: 'M6 6l12 12M18 6L6 18',
  done: 'M5 12l5 5 9-10',
  alert: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  books: 'M5 6c0-4 14-4 14 0v12c0 4-14 4-14 0zM5 6c0 4 14 4 14 0M5 12c0 4 14 4 14 0',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
