import type { Migration } from './words.ts'

/**
 * A key now holds the whole request and its response, for every write. The keys of the MCP server are kept: their
 * response is the id of the record.
 */
export const idempotencyKeys: Migration = {
  name: '0003-idempotency-keys',
  statements: ({ key }) => [
    'alter table idempotency_keys rename to created_once',
    'drop index idempotency_keys_created',
    `create table idempotency_keys (
      workspace_id ${key} not null references workspaces (id), owner ${key} not null, key ${key} not null,
      created_at ${key} not null, request text not null, body_hash ${key} not null, status integer not null,
      headers text not null, body text,
      constraint idempotency_keys_key primary key (workspace_id, owner, key))`,
    'create index idempotency_keys_created on idempotency_keys (workspace_id, created_at)',
    `insert into idempotency_keys (workspace_id, owner, key, created_at, request, body_hash, status, headers, body)
      select workspace_id, 'mcp ' || user_id, key, created_at, 'create_record', input_hash, 201, '{}', record_id
      from created_once`,
    'drop table created_once',
  ],
}
