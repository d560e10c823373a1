/** What a rig says of itself, and what it is told. */

import type { ComponentChildren } from 'preact';
import { Card } from '../../parts/card.js';
import type { Rig } from '../../reading/answers.js';
import { hashes } from '../../words/numbers.js';

export function RigFacts({
  rig: { account, rig, label, agent, difficulty, orderedDifficulty },
}: {
  rig: Rig;
}) {
  return (
    <Card id="facts" title="Details">
      <dl class="lines">
        <Fact name="User" value={<code>{rig === '' ? account : `${account}.${rig}`}</code>} />
        <Fact name="Label" value={label ?? 'none'} />
        <Fact name="Agent" value={agent || 'it does not say'} />
        <Fact
          name="Share difficulty"
          value={difficulty === null ? 'none while it has no job' : hashes(difficulty)}
        />
        <Fact
          name="Difficulty"
          value={orderedDifficulty === null ? 'automatic' : hashes(orderedDifficulty)}
        />
      </dl>
    </Card>
  );
}

function Fact({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="long">{value}</dd>
    </div>
  );
}
