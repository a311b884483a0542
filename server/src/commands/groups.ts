import type { Command, Group } from './command.ts'

type Entry = { about: string; load(): Promise<Command | Group> }

/** The commands by their first word. Each file is loaded only when it is used. */
export const groups: Readonly<Record<string, Entry>> = {
  serve: { about: 'Start the service.', load: async () => (await import('./serve.ts')).serve },
  user: { about: 'Create, list and delete users.', load: async () => (await import('./user.ts')).user },
  workspace: {
    about: 'Create, list, pause, resume and delete workspaces.',
    load: async () => (await import('./workspace.ts')).workspace,
  },
  member: { about: 'Manage the members of a workspace.', load: async () => (await import('./member.ts')).member },
  token: { about: 'Create, list and revoke access tokens.', load: async () => (await import('./token.ts')).token },
  field: { about: 'Create and change custom fields.', load: async () => (await import('./field.ts')).field },
  sample: { about: 'Fill a workspace with sample records.', load: async () => (await import('./sample.ts')).sample },
  reindex: {
    about: 'Rebuild the search index from the records.',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  migrate: {
    about: 'Migrate the database to this version.',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  audit: { about: 'Export the audit log.', load: async () => (await import('./audit.ts')).audit },
  export: {
    about: 'Export records of a workspace over HTTP.',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  import: {
    about: 'Import a file into a workspace over HTTP.',
    load: async () => (await import('./import.ts')).importCommand,
  },
  job: { about: 'List, show and undo imports over HTTP.', load: async () => (await import('./job.ts')).job },
  webhook: {
    about: 'Create, list, test and replay webhooks, over HTTP or on the database.',
    load: async () => (await import('./webhook.ts')).webhook,
  },
  listen: {
    about: 'Print changes as they happen, or forward them as webhooks, over HTTP.',
    load: async () => (await import('./listen.ts')).listen,
  },
  types: {
    about: 'Write TypeScript types of custom fields over HTTP.',
    load: async () => (await import('./types.ts')).types,
  },
  doctor: {
    about: 'Check the installation and say what to do.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  backup: { about: 'Write a backup to a file.', load: async () => (await import('./backup.ts')).backup },
  restore: { about: 'Restore a backup.', load: async () => (await import('./restore.ts')).restore },
}
