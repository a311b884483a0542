import { statements, type Words } from '../words.ts'

/**
 * Endpoints that receive changes. A node delivers to an endpoint while it has the lease. `webhook_blocked` has the
 * oldest undelivered event of each record whose events fail. `deliveries` is the log, and holds replays that wait.
 */
export function webhooks({ key }: Words): string[] {
  return statements(`
    create table webhooks (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, url text not null,
      types text not null, description text, filter text, changed text, payload ${key} not null,
      exclude_own integer not null, max_in_flight integer not null, state ${key} not null, reason ${key},
      secret text not null, old_secret text, old_secret_until ${key}, epoch ${key} not null, sequence bigint not null,
      failures integer not null, failed_since ${key}, noticed integer not null, notice ${key},
      last_success_at ${key}, last_failure_at ${key}, last_failure_id ${key}, created_at ${key} not null,
      updated_at ${key} not null, creator_id ${key} not null, token_id ${key}, revision integer not null,
      leased_by ${key}, leased_until ${key}, primary key (workspace_id, id));
    create index webhooks_running on webhooks (leased_until) where state in ('active', 'failing');
    create index webhooks_leased on webhooks (leased_by) where leased_by is not null;
    create index webhooks_noticed on webhooks (notice) where notice is not null;
    create table webhook_blocked (
      workspace_id ${key} not null references workspaces (id), webhook_id ${key} not null, resource ${key} not null,
      record_id ${key} not null, sequence bigint not null, attempt integer not null, due_at ${key} not null,
      delivery_id ${key},
      primary key (workspace_id, webhook_id, resource, record_id));
    create table deliveries (
      workspace_id ${key} not null references workspaces (id), webhook_id ${key} not null, id ${key} not null,
      event_id ${key} not null, type ${key} not null, record_id ${key}, sequence bigint, state ${key} not null,
      replay integer not null, created_at ${key} not null, next_attempt_at ${key}, attempts text not null,
      primary key (workspace_id, webhook_id, id));
    create index deliveries_failed on deliveries (workspace_id, webhook_id, id) where state = 'failed';
    create index deliveries_waiting on deliveries (workspace_id, webhook_id, sequence, id) where state = 'waiting';
    create index deliveries_record on deliveries (workspace_id, webhook_id, record_id, id);
    create index deliveries_event on deliveries (workspace_id, webhook_id, event_id)`)
}
