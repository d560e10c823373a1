import { hashOf, type Route } from '../route.js';

export function Nowhere({ route }: { route: Route }) {
  return (
    <p>
      There is no view “{route.view}”. <a href={hashOf('')}>To the overview</a>
    </p>
  );
}
