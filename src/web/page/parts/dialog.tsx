/** What lies over the view until it is answered or closed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icons.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
  close(): void;
}

export function Dialog({ title, isOpen, children, close }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) box.current?.showModal();
    else box.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={box} aria-labelledby={id} onClose={close}>
      {isOpen && (
        <>
          <div class="dialog-head">
            <h2 id={id}>{title}</h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}
