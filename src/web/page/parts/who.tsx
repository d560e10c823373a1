/** Who it is: a sign made from the name, by which eyes know it again, and as much of the name as fits. */
import { minidenticon } from 'minidenticons';
import { useMemo } from 'preact/hooks';
import { hashOf } from '../route.js';
import { shortName, shownName } from '../words/names.js';
import { CopyButton } from './controls/copy.js';

interface WhoProps {
  readonly account: string;
  /** Of the account; empty for a rig without a name. */
  readonly rig?: string;
  /** What the operator calls it. */
  readonly label?: string | null;
  /** It leads nowhere where it names the view that one is on. */
  readonly isHere?: boolean;
  /** With a button that copies the whole name. */
  readonly hasCopy?: boolean;
}

export function Who({ account, rig, label, isHere = false, hasCopy = false }: WhoProps) {
  const name = rig === undefined ? account : rig;
  const whole = rig ? `${account}.${rig}` : account;
  const shown = label ?? (name === '' ? 'no name' : shortName(name));
  return (
    <span class="who">
      <Identicon name={whole} />
      {isHere ? (
        <bdi title={shownName(whole)}>{shown}</bdi>
      ) : (
        <a href={hrefOf(account, rig)} title={shownName(whole)}>
          <bdi>{shown}</bdi>
        </a>
      )}
      {hasCopy && <CopyButton text={whole} what="the name" />}
    </span>
  );
}

function hrefOf(account: string, rig: string | undefined): string {
  return rig === undefined ? hashOf('accounts', {}, [account]) : hashOf('rigs', {}, [account, rig]);
}

/** Made here: nobody is asked for it. */
export function Identicon({ name }: { name: string }) {
  const svg = useMemo(() => minidenticon(name), [name]);
  // Made of a hash alone: there is nothing of the name in it.
  return <span class="identicon" aria-hidden="true" dangerouslySetInnerHTML={{ __html: svg }} />;
}
