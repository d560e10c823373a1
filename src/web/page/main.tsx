import { render } from 'preact';
import { App } from './app.js';
import { createAsk } from './reading/ask.js';
import { createFeed } from './reading/feed.js';
import { chosenTheme, showTheme } from './theme.js';

showTheme(chosenTheme());
const ask = createAsk();
const feed = createFeed(ask);
feed.start();
const page = document.getElementById('page');
if (page) render(<App reading={{ ask, feed }} />, page);
