import type { Command, Group } from './command.ts'

type Entry = { about: string; load(): Promise<Command | Group> }

/** The first words of the command line. Each file is loaded only when it is asked for. */
export const groups: Readonly<Record<string, Entry>> = {
  serve: { about: 'Start the service.', load: async () => (await import('./serve.ts')).serve },
  user: { about: 'Make people who can sign in.', load: async () => (await import('./user.ts')).user },
  workspace: {
    about: 'Make, list, pause and resume workspaces.',
    load: async () => (await import('./workspace.ts')).workspace,
  },
  member: { about: 'Say who belongs to a workspace.', load: async () => (await import('./member.ts')).member },
  token: { about: 'Make, list and revoke access tokens.', load: async () => (await import('./token.ts')).token },
  field: { about: 'Make and change custom fields.', load: async () => (await import('./field.ts')).field },
  sample: { about: 'Fill a workspace with made-up records.', load: async () => (await import('./sample.ts')).sample },
  reindex: {
    about: 'Derive the search index anew from the records.',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  migrate: {
    about: 'Bring the database to this version.',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  audit: { about: 'Export the audit log.', load: async () => (await import('./audit.ts')).audit },
  backup: { about: 'Copy everything into a file.', load: async () => (await import('./backup.ts')).backup },
  restore: { about: 'Bring back what a backup holds.', load: async () => (await import('./restore.ts')).restore },
}
