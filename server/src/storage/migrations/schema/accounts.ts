import { statements, type Words } from '../words.ts'

/**
 * Users, how they sign in, and the links they get by mail. better-auth owns the first tables and both factor tables. A
 * passkey's counter is an unsigned 32-bit number. The formats of a user are JSON, a picture is stored as base64. A link
 * with `new_email` changes the address of its user, others confirm it.
 */
export function accounts({ key, moment, flag, no }: Words): string[] {
  return statements(`
    create table users (
      id ${key} primary key, name text not null, email ${key} not null unique, email_verified ${flag} not null,
      image text, created_at ${moment} not null, updated_at ${moment} not null,
      two_factor_enabled ${flag} not null default ${no}, formats text);

    create table pictures (
      user_id ${key} primary key references users (id) on delete cascade, id ${key} not null unique,
      type text not null, data text not null);

    create table sessions (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      token ${key} not null unique, expires_at ${moment} not null, ip_address text, user_agent text,
      created_at ${moment} not null, updated_at ${moment} not null, second_factor ${key});
    create index sessions_user on sessions (user_id);

    create table accounts (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      account_id ${key} not null, provider_id ${key} not null, access_token text, refresh_token text, id_token text,
      access_token_expires_at ${moment}, refresh_token_expires_at ${moment}, scope text, password text,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index accounts_user on accounts (user_id);

    create table verifications (
      id ${key} primary key, identifier ${key} not null, value text not null, expires_at ${moment} not null,
      created_at ${moment} not null, updated_at ${moment} not null);
    create index verifications_identifier on verifications (identifier);
    create index verifications_expires on verifications (expires_at);

    create table two_factors (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, secret text not null,
      backup_codes text not null, verified ${flag}, failed_verification_count integer, locked_until ${moment});
    create index two_factors_user on two_factors (user_id);

    create table passkeys (
      id ${key} primary key, user_id ${key} not null references users (id) on delete cascade, name text,
      public_key text not null, credential_id ${key} not null unique, counter bigint not null,
      device_type text not null, backed_up ${flag} not null, transports text, created_at ${moment}, aaguid text);
    create index passkeys_user on passkeys (user_id);

    create table email_links (
      hash ${key} primary key, user_id ${key} not null references users (id) on delete cascade,
      new_email ${key}, created_at ${key} not null, expires_at ${key} not null);
    create index email_links_user on email_links (user_id)`)
}
