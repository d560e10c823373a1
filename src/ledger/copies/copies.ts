import { statementsOf } from '../database/statements.js';

export const SQL = statementsOf('copies/copies.sql');
