import { statements, type Words } from '../words.ts'

/** Programs that members have connected to a workspace, their codes, and better-auth's tables for them. */
export function oauth({ key, moment, flag }: Words): string[] {
  const client = `client_id ${key} not null references oauth_clients (client_id) on delete cascade`
  const session = `session_id ${key} references sessions (id) on delete set null`
  const user = `user_id ${key} references users (id) on delete cascade`
  return statements(`
    create table connections (
      id ${key} primary key, workspace_id ${key} not null references workspaces (id),
      user_id ${key} not null references users (id), client_id ${key} not null, abilities ${key} not null,
      last_used_at ${key}, revoked_at ${key}, created_at ${key} not null);
    create index connections_workspace on connections (workspace_id, created_at, id);
    create index connections_client on connections (client_id, user_id, workspace_id);
    create index connections_user on connections (user_id, workspace_id);

    create table oauth_codes (
      hash ${key} primary key, used_at ${key} not null, reference_id ${key}, replayed integer not null default 0);
    create index oauth_codes_used on oauth_codes (used_at);

    create table oauth_clients (
      id ${key} primary key, client_id ${key} not null unique, client_secret text, disabled ${flag},
      skip_consent ${flag}, enable_end_session ${flag}, subject_type text, scopes text, ${user}, created_at ${moment},
      updated_at ${moment}, name text, uri text, icon text, contacts text, tos text, policy text, software_id text,
      software_version text, software_statement text, redirect_uris text not null, post_logout_redirect_uris text,
      token_endpoint_auth_method text, grant_types text, response_types text, public ${flag}, type text,
      require_pkce ${flag}, reference_id ${key}, metadata text);
    create index oauth_clients_created on oauth_clients (created_at);

    create table oauth_refresh_tokens (
      id ${key} primary key, token ${key} not null unique, ${client}, ${session},
      user_id ${key} not null references users (id) on delete cascade, reference_id ${key},
      expires_at ${moment} not null, created_at ${moment} not null, revoked ${moment}, auth_time ${moment},
      scopes text not null);
    create index oauth_refresh_tokens_client on oauth_refresh_tokens (client_id, user_id);
    create index oauth_refresh_tokens_reference on oauth_refresh_tokens (reference_id);
    create index oauth_refresh_tokens_session on oauth_refresh_tokens (session_id);
    create index oauth_refresh_tokens_user on oauth_refresh_tokens (user_id);
    create index oauth_refresh_tokens_expires on oauth_refresh_tokens (expires_at);

    create table oauth_access_tokens (
      id ${key} primary key, token ${key} not null unique, ${client}, ${session}, ${user}, reference_id ${key},
      refresh_id ${key} references oauth_refresh_tokens (id) on delete cascade, expires_at ${moment} not null,
      created_at ${moment} not null, scopes text not null);
    create index oauth_access_tokens_client on oauth_access_tokens (client_id);
    create index oauth_access_tokens_reference on oauth_access_tokens (reference_id);
    create index oauth_access_tokens_session on oauth_access_tokens (session_id);
    create index oauth_access_tokens_user on oauth_access_tokens (user_id);
    create index oauth_access_tokens_refresh on oauth_access_tokens (refresh_id);
    create index oauth_access_tokens_expires on oauth_access_tokens (expires_at);

    create table oauth_consents (
      id ${key} primary key, ${client}, ${user}, reference_id ${key}, scopes text not null,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index oauth_consents_client on oauth_consents (client_id, user_id, reference_id);
    create index oauth_consents_user on oauth_consents (user_id)`)
}
