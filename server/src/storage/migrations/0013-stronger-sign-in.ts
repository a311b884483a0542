import type { Migration, Words } from './words.ts'

/** Second factors, the workspaces that require one, and the mark that ends a member's sessions in one workspace. */
export const strongerSignIn: Migration = {
  name: '0013-stronger-sign-in',
  statements: (words) => [...factors(words), ...marks(words), ...domainJoins(words)],
}

/** The tables of better-auth's plugins. A passkey's counter is an unsigned 32-bit number. */
function factors({ key, moment, flag, dialect }: Words): string[] {
  const no = dialect === 'sqlite' ? '0' : 'false'
  return [
    `alter table users add column two_factor_enabled ${flag} not null default ${no}`,
    `create table two_factors (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, secret text not null,
      backup_codes text not null, verified ${flag}, failed_verification_count integer, locked_until ${moment})`,
    'create index two_factors_user on two_factors (user_id)',
    `create table passkeys (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, name text,
      public_key text not null, credential_id ${key} not null unique, counter bigint not null, device_type text not null,
      backed_up ${flag} not null, transports text, created_at ${moment}, aaguid text)`,
    'create index passkeys_user on passkeys (user_id)',
  ]
}

function marks({ key }: Words): string[] {
  return [
    `alter table sessions add column second_factor ${key}`,
    `alter table members add column sessions_ended_at ${key}`,
    'alter table workspaces add column require_second_factor integer not null default 0',
    'create index verifications_expires on verifications (expires_at)',
  ]
}

/** Who has joined a workspace by the domain of their address. It happens once: a member who was removed stays removed. */
function domainJoins({ key }: Words): string[] {
  return [
    `create table domain_joins (
      workspace_id ${key} not null references workspaces (id), user_id ${key} not null references users (id) on delete cascade,
      created_at ${key} not null, primary key (workspace_id, user_id))`,
  ]
}
