import type { Migration, Words } from './words.ts'

/**
 * Session tokens become hashes: the ones stored so far cannot stay, so everybody signs in again once. Links that reset a password
 * remember who made them; open ones do not, and are deleted. Addresses are confirmed by links of their own. Codes of OAuth are
 * remembered after their use.
 */
export const accounts: Migration = {
  name: '0012-accounts',
  statements: (words) => [
    'delete from sessions',
    'delete from password_links',
    `alter table password_links add column source ${words.key} not null default 'mail'`,
    `alter table password_links add column workspace_id ${words.key} references workspaces (id) on delete cascade`,
    `alter table password_links add column creator_id ${words.key} references users (id) on delete cascade`,
    'create index password_links_creator on password_links (creator_id)',
    'create index password_links_workspace on password_links (workspace_id)',
    ...emailLinks(words),
    ...oauthCodes(words),
    'create index tokens_user on tokens (user_id, workspace_id)',
    'create index connections_user on connections (user_id, workspace_id)',
  ],
}

function emailLinks({ key }: Words): string[] {
  return [
    `create table email_links (
      hash ${key} primary key, user_id ${key} not null references users (id) on delete cascade, created_at ${key} not null,
      expires_at ${key} not null)`,
    'create index email_links_user on email_links (user_id)',
  ]
}

function oauthCodes({ key }: Words): string[] {
  return [
    `create table oauth_codes (
      hash ${key} primary key, used_at ${key} not null, reference_id ${key}, replayed integer not null default 0)`,
    'create index oauth_codes_used on oauth_codes (used_at)',
  ]
}
