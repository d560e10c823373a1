/** Where a miner checks that he got his part. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/orders/order.js';
import { sentence } from '../../reading/ask.js';
import type { Audited } from '../../reading/audit.js';
import { useReading } from '../../use/reading.js';

export function AuditCard({ account }: { account: string }) {
  const [isOpen, setOpen] = useState(false);
  const actions = (
    <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
      Check
    </button>
  );
  return (
    <Card id="audit" title="Is it my part?" actions={actions}>
      <p>
        The pool signs what everybody did. This browser can compute from that what was to be credited, and
        compare it.
      </p>
      <Dialog title="Check my part" isOpen={isOpen} close={() => setOpen(false)}>
        <AuditForm account={account} />
      </Dialog>
    </Card>
  );
}

function AuditForm({ account }: { account: string }) {
  const { audited, fault, isBusy, check } = useAudit(account);
  return (
    <form class="order-form" onSubmit={check}>
      <p>
        On the machine with your keys, run <code>stratum-bridge keygen proofs account.json</code>, and paste
        the line that it prints: what others did is not shown to anybody else.
      </p>
      <Field name="line" label="The line that it printed" maxLength={3000} />
      <label class="field">
        What your rigs were answered (not needed)
        <input type="file" name="log" accept=".csv,text/csv" />
      </label>
      <p class="problem" role="alert">
        {fault}
      </p>
      <div role="status">
        {audited && (
          <>
            <p class="long">{audited.verdict}.</p>
            {audited.findings.length > 0 && (
              <ul>
                {audited.findings.map((finding) => (
                  <li key={finding} class="long">
                    {finding}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          {isBusy ? 'Checking …' : 'Check'}
        </button>
      </p>
    </form>
  );
}

function useAudit(account: string) {
  const { ask } = useReading();
  const [audited, setAudited] = useState<Audited>();
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const check = async (event: Event & { currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const given = new FormData(event.currentTarget);
    setBusy(true);
    setFault('');
    setAudited(undefined);
    try {
      const { auditHere } = await import('../../reading/audit.js');
      const log = given.get('log');
      const asked = {
        account,
        line: String(given.get('line')),
        log: log instanceof File ? await log.text() : '',
      };
      setAudited(await auditHere(ask, asked, stop.current.signal));
    } catch (error) {
      setFault(sentence(error));
    } finally {
      setBusy(false);
    }
  };
  return { audited, fault, isBusy, check };
}
