/** `stratum-bridge completion`: what a shell loads to complete command lines. */
import { type Command, defineCommand } from '../cli/line/command.js';
import type { Shell } from '../cli/line/completion/scripts.js';

/** @param others all the other commands, which it completes besides itself. */
export function completionOf(others: Readonly<Record<string, Command>>): Command {
  const script = (shell: Shell): Command =>
    defineCommand({
      summary: `print the script for ${shell}, which says where to put it`,
      run: async (asked) => (await import('./completion/run.js')).print(shell, asked),
    });
  const completion: Command = {
    summary: 'print a script that completes commands in bash, zsh or fish',
    commands: {
      bash: script('bash'),
      zsh: script('zsh'),
      fish: script('fish'),
      words: defineCommand({
        summary: 'what the scripts ask: the words that may come at the end of those given',
        hidden: true,
        words: '[words...]',
        run: async (asked) =>
          (await import('./completion/run.js')).answer(
            { summary: '', commands: { ...others, completion } },
            asked,
          ),
      }),
    },
  };
  return completion;
}
