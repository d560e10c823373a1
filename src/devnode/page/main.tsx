import { render } from 'preact';
import { chosenTheme, showTheme } from '../../web/page/theme.js';
import { App } from './app.js';

showTheme(chosenTheme());
const page = document.getElementById('page');
if (page) render(<App />, page);
