/** The README.md pages of the project, taken apart so that what they say can be compared with what is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const FROM_HERE = import.meta.url.includes('/dist/test/') ? '../../../../' : '../../../';
export const ROOT = fileURLToPath(new URL(FROM_HERE, import.meta.url));
const NOT_OURS = ['node_modules', 'dist', 'data', '.git'];

export interface CodeBlock {
  /** As the fence names it; empty for commands. */
  readonly language: string;
  readonly lines: readonly string[];
}

export interface Page {
  /** Below the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
  /** What stands between backticks outside of blocks. */
  readonly inline: readonly string[];
  /** Targets of links, as written. */
  readonly links: readonly string[];
  /** Names by which headings can be linked to. */
  readonly anchors: ReadonlySet<string>;
}

export function readPages(): Page[] {
  const paths = filesBelow('').filter((path) => posix.basename(path) === 'README.md');
  return paths.map((path) => pageOf(path, readFileSync(join(ROOT, path), 'utf8')));
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

export function pageOf(path: string, text: string): Page {
  const prose = text.replace(FENCED, '');
  return {
    path,
    text,
    blocks: Array.from(text.matchAll(FENCED), ([, language = '', code = '']) => ({
      language,
      lines: code.trimEnd().split('\n'),
    })),
    inline: Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code.replaceAll('\\|', '|')),
    links: Array.from(prose.matchAll(/\]\(([^()\s]+)\)/g), ([, target = '']) => target),
    anchors: anchorsOf(prose),
  };
}

/** As code hosts make them of headings. */
function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
    const name = plain.replaceAll(' ', '-');
    let free = name;
    for (let again = 1; anchors.has(free); again++) free = `${name}-${again}`;
    anchors.add(free);
  }
  return anchors;
}

/** Links of a page that lead nowhere. Those to other hosts are not followed. */
export function linkFaults(page: Page, pages: readonly Page[]): string[] {
  return page.links
    .filter((link) => !/^https?:/.test(link) && !leadsSomewhere(page, link, pages))
    .map((link) => `${page.path}: nothing is at ${link}`);
}

function leadsSomewhere(page: Page, link: string, pages: readonly Page[]): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
  // A page may stand as text alone, in a test of this.
  const target = path === page.path ? page : pages.find((other) => other.path === path);
  if (anchor !== undefined) return target?.anchors.has(anchor) ?? false;
  return target !== undefined || existsSync(join(ROOT, path));
}

/** Names of sources between backticks that are none: of a file in the page's room, or with a path beside it or below the root. */
export function fileFaults(page: Page): string[] {
  const room = posix.dirname(page.path);
  const names = page.inline.filter(
    (code) => /^[\w-][\w./-]*\.(ts|js|c|h|sql)$/.test(code) && !/[A-Z]{2}/.test(code),
  );
  return names
    .filter((name) => ![join(room, name), name].some((path) => existsSync(join(ROOT, path))))
    .filter((name) => name.includes('/') || !filesBelow(room).some((path) => path.endsWith(`/${name}`)))
    .map((name) => `${page.path}: there is no file ${name}`);
}

/** Below the root, with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return NOT_OURS.includes(entry.name) ? [] : filesBelow(path);
  });
}
