import type { Command, Group, Groups } from './command.ts'

/** The commands by their first word. Each file is loaded only when it is used. */
export const groups: Groups = Object.fromEntries([
  entry('serve', 'Start the service.', () => import('./serve.ts')),
  entry('user', 'Create, list and delete users.', () => import('./user.ts')),
  entry('workspace', 'Create, list, pause, resume and delete workspaces.', () => import('./workspace.ts')),
  entry('member', 'Manage the members of a workspace.', () => import('./member.ts')),
  entry('token', 'Create, list and revoke access tokens.', () => import('./token.ts')),
  entry('resource', 'Create and change resources of a workspace.', () => import('./resource.ts')),
  entry('field', 'Create and change custom fields.', () => import('./field.ts')),
  entry('sample', 'Fill a workspace with sample records.', () => import('./sample.ts')),
  entry('reindex', 'Rebuild the search index from the records.', () => import('./reindex.ts')),
  entry('migrate', 'Migrate the database to this version.', () => import('./migrate.ts')),
  entry('audit', 'Export the audit log.', () => import('./audit.ts')),
  entry('list', 'List records over HTTP.', () => import('./records.ts')),
  entry('get', 'Show records over HTTP.', () => import('./records.ts')),
  entry('create', 'Create a record over HTTP.', () => import('./records.ts')),
  entry('update', 'Update a record over HTTP.', () => import('./records.ts')),
  entry('upsert', 'Update or create a record over HTTP.', () => import('./records.ts')),
  entry('delete', 'Delete records over HTTP.', () => import('./records.ts')),
  entry('export', 'Export records of a workspace over HTTP.', () => import('./export.ts')),
  entry('import', 'Import a file into a workspace over HTTP.', () => import('./import.ts')),
  entry('change', 'Show and undo changes over HTTP.', () => import('./change.ts')),
  entry('job', 'List, show and undo imports over HTTP.', () => import('./job.ts')),
  entry(
    'webhook',
    'Create, list, test and replay webhooks, over HTTP or on the database.',
    () => import('./webhook.ts'),
  ),
  entry('listen', 'Print changes as they happen, or forward them as webhooks, over HTTP.', () => import('./listen.ts')),
  entry('types', 'Write TypeScript types of custom fields over HTTP.', () => import('./types.ts')),
  entry('completion', 'Write the completion script of a shell.', () => import('./completion.ts')),
  entry('explain', 'Show the statements of a list, and their plans.', () => import('./explain.ts')),
  entry('doctor', 'Check the installation and say what to do.', () => import('./doctor.ts')),
  entry('backup', 'Write a backup to a file.', () => import('./backup.ts')),
  entry('restore', 'Restore a backup.', () => import('./restore.ts')),
])

/** The file must export the command under its first word. */
function entry<Word extends string>(word: Word, about: string, load: () => Promise<Record<Word, Command | Group>>) {
  return [word, { about, load: async () => (await load())[word] }] as const
}
