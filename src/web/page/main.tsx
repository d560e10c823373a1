import { render } from 'preact';
import { App } from './app.js';
import { createAsk } from './reading/ask.js';
import { createFeed } from './reading/feed.js';
import { createRoleHolder } from './reading/session.js';
import { enter } from './reading/sign-in.js';
import { chosenTheme, showTheme } from './theme.js';

showTheme(chosenTheme());
const holder = createRoleHolder();
const ask = createAsk(holder);
const feed = createFeed(ask);
const page = document.getElementById('page');
if (page) render(<App reading={{ ask, feed, holder }} />, page);
await enter(ask, holder);
holder.subscribe(feed.again);
feed.start();
