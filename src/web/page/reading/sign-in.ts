/** How whoever opens the page comes in: by the link that led here, by the session of last time, or not yet. */
import { type Ask, sentence } from './ask.js';
import type { RoleHolder } from './session.js';

const LINK = /^#link=([\w-]+)$/;

export async function enter(ask: Ask, holder: RoleHolder): Promise<void> {
  const [, link] = LINK.exec(location.hash) ?? [];
  let fault = '';
  if (link !== undefined) {
    // It works once, and nobody is to find it in the history.
    history.replaceState(null, '', location.pathname);
    await ask.signIn({ link }).catch((error: unknown) => {
      fault = sentence(error);
    });
  }
  // Whoever cannot be asked now is lost, as the feed will say.
  holder.hold(await ask.role().catch(() => 'anonymous' as const), fault);
}
