import { render } from 'preact';
import { App } from './app.js';
import { createAsk } from './reading/ask.js';
import { createFeed } from './reading/feed.js';
import { createTokenHolder } from './reading/token.js';
import { chosenTheme, showTheme } from './theme.js';

showTheme(chosenTheme());
const token = createTokenHolder();
const ask = createAsk(token);
const feed = createFeed(ask);
token.subscribe(feed.again);
feed.start();
const page = document.getElementById('page');
if (page) render(<App reading={{ ask, feed, token }} />, page);
