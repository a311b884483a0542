import type { Migration, Words } from './words.ts'

/** What the web application keeps: invitations, links that reset a password, and saved views. */
export const application: Migration = {
  name: '0004-application',
  statements: (words) => [...invitations(words), ...passwordLinks(words), ...views(words)],
}

function invitations({ key }: Words): string[] {
  return [
    `create table invitations (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, hash ${key} not null unique, email ${key},
      role ${key} not null, inviter_id ${key} not null references users (id), created_at ${key} not null,
      expires_at ${key} not null, primary key (workspace_id, id))`,
  ]
}

function passwordLinks({ key }: Words): string[] {
  return [
    `create table password_links (
      hash ${key} primary key, user_id ${key} not null references users (id) on delete cascade, created_at ${key} not null,
      expires_at ${key} not null)`,
    'create index password_links_user on password_links (user_id)',
  ]
}

function views({ key }: Words): string[] {
  return [
    `create table views (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, resource ${key} not null,
      owner_id ${key} not null references users (id), name text not null, shared integer not null, state text not null,
      position integer not null, created_at ${key} not null, updated_at ${key} not null, primary key (workspace_id, id))`,
    'create index views_resource on views (workspace_id, resource, position, id)',
  ]
}
