/** What has to happen before there is something to be seen. Each step ticks itself. */
import type { ComponentChildren } from 'preact';
import { Card } from '../../parts/card.js';
import { Icon } from '../../parts/icons.js';
import type { Blocks, Summary } from '../../reading/answers.js';
import { useHistory } from '../../use/history.js';
import { useSeen } from '../../use/reading.js';
import { useRigStates } from '../../use/rig-states.js';
import { expectedMs } from '../../words/blocks.js';
import { hostOf } from '../../words/names.js';
import { duration } from '../../words/times.js';

export function FirstRun({ blocks }: { blocks: Blocks }) {
  const { summary } = useSeen();
  const states = useRigStates();
  const { value: rates } = useHistory('hashRate', '1h');
  if (!summary || !states) return null;
  const hasNode = summary.nodes.some(({ state }) => state === 'healthy');
  const hasRig = Object.values(states).some((count) => count > 0);
  const hasShare = (summary.submits.accepted ?? 0) > 0;
  const takesMs = expectedMs(blocks.sinceLast, rates);
  return (
    <Card id="first-run" title="From here to the first block">
      <ol class="checklist">
        <Step isDone={hasNode} title="A node gives work">
          {hasNode ? nodeNames(summary) : 'What is the matter stands above.'}
        </Step>
        <Step isDone={hasRig} title="A rig is connected">
          {hasRig
            ? 'The list of rigs shows it.'
            : 'Set an address of “Connect a rig” in it, and your account as its user.'}
        </Step>
        <Step isDone={hasShare} title="A share is accepted">
          {hasShare ? 'Hash rates begin with it.' : 'It comes some seconds after the rig.'}
        </Step>
        <Step isDone={false} title="A block is found">
          {takesMs === undefined
            ? 'How long one takes on average is known once there is a hash rate.'
            : `One takes ${duration(takesMs)} on average at this hash rate, and any share may be it.`}
        </Step>
      </ol>
    </Card>
  );
}

function nodeNames({ nodes }: Summary): string {
  return nodes
    .filter(({ state }) => state === 'healthy')
    .map(({ url }) => hostOf(url))
    .join(', ');
}

interface StepProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ComponentChildren;
}

function Step({ isDone, title, children }: StepProps) {
  return (
    <li class={isDone ? 'is-done' : ''}>
      <span class="step-sign">{isDone && <Icon name="done" />}</span>
      <div>
        <b>{title}</b>
        <span class="unseen">{isDone ? ', done' : ', not yet'}</span>
        <p class="note">{children}</p>
      </div>
    </li>
  );
}
