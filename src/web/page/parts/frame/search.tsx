/** Finds an account or a rig, from wherever one is: `/` leads here. */
import { useEffect, useRef } from 'preact/hooks';
import { hashOf } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { Icon } from '../icons.js';

export function Search() {
  const { isAnonymous } = useSeen();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const go = (event: Event): void => {
    event.preventDefault();
    const typed = field.current?.value.trim() ?? '';
    if (typed === '') return;
    location.hash = hashFor(typed, isAnonymous);
    field.current?.blur();
  };
  const words = isAnonymous ? 'Find an account' : 'Find a rig or an account';
  return (
    <search class="search">
      <form onSubmit={go}>
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label={words}
          placeholder={`${words}  /`}
          autocomplete="off"
          spellcheck={false}
          maxLength={400}
        />
      </form>
    </search>
  );
}

function isTyping(at: EventTarget | null): boolean {
  return at instanceof HTMLElement && at.matches('input, select, textarea');
}

/** Who types the user name of a rig means that rig, or its account where rigs are not for him. What is neither is looked for among rigs. */
function hashFor(typed: string, isAnonymous: boolean): string {
  const dot = typed.indexOf('.');
  const account = dot === -1 ? typed : typed.slice(0, dot);
  if (isAnonymous) return hashOf('accounts', {}, [account || typed]);
  if (dot > 0) return hashOf('rigs', {}, [account, typed.slice(dot + 1)]);
  return typed.includes(':') ? hashOf('accounts', {}, [typed]) : hashOf('rigs', { q: typed });
}
