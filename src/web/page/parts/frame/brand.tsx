/** Which pool this is, and of which network. */
import { hashOf } from '../../route.js';
import { usePool } from '../../use/pool.js';

export function Brand() {
  const { title, network, isDevelopment } = usePool();
  return (
    <p class="brand">
      <a href={hashOf('')}>
        <bdi>{title}</bdi>
      </a>
      {network !== '' && (
        <span
          class={`chip ${isDevelopment ? 'is-warning' : ''}`}
          title={
            isDevelopment
              ? 'A network for development: its coins are worth nothing'
              : 'The network that is mined'
          }
        >
          {network}
        </span>
      )}
    </p>
  );
}
