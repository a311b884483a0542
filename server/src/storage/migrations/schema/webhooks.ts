import { type Dialect, statements } from '../migration.ts'

/**
 * Endpoints that receive changes. A node delivers to an endpoint while it has the lease. `webhook_blocked` has the
 * oldest undelivered event of each record whose events fail. `deliveries` is the log, and holds replays that wait.
 */
export function webhooks({ key }: Dialect): string[] {
  return statements(`
    create table webhooks (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, url text not null,
      types text not null, description text, filter text, changed text, payload ${key} not null,
      exclude_own integer not null, max_in_flight integer not null, state ${key} not null, reason ${key},
      secret text not null, old_secret text, old_secret_until ${key}, epoch ${key} not null, sequence bigint not null,
      failures integer not null, failed_since ${key}, noticed integer not null, notice ${key},
      last_success_at ${key}, last_failure_at ${key}, last_failure_id ${key}, created_at ${key} not null,
      updated_at ${key} not null, creator_id ${key} not null, token_id ${key}, url_by ${key} not null,
      revision integer not null, leased_by ${key}, leased_until ${key}, primary key (workspace_id, id));
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

/**
 * Work that takes longer than a request. A node runs a job while it has the lease. `job_files` has the uploaded files
 * in compressed pieces, `job_rows` the result of each row and its change, for the undo.
 *
 * `job_claims` has the unique values and external ids that the rows of a dry run claim, as hashes, and the record that
 * each row would write. A dry run takes back what it stores after each chunk, so later chunks find here what earlier
 * ones claim.
 */
export function jobs({ key }: Dialect): string[] {
  return statements(`
    create table jobs (
      workspace_id ${key} not null references workspaces (id), id ${key} not null, type ${key} not null,
      resource ${key} not null, state ${key} not null, dry_run integer not null, mode ${key}, "match" text,
      mapping text, name text, settings text not null, file_id ${key}, file_facts text, "rows" integer not null,
      done integer not null, created integer not null, updated integer not null, unchanged integer not null,
      failed integer not null, message text, created_at ${key} not null, started_at ${key}, finished_at ${key},
      undoable_until ${key}, undo_of ${key}, creator_id ${key} not null, token_id ${key}, leased_by ${key},
      leased_until ${key},
      primary key (workspace_id, id));
    create index jobs_unfinished on jobs (state, leased_until) where state in ('queued', 'running');
    create index jobs_undo on jobs (workspace_id, undo_of) where undo_of is not null;
    create index jobs_finished on jobs (workspace_id, finished_at);
    create table job_files (
      workspace_id ${key} not null references workspaces (id), file_id ${key} not null, piece integer not null,
      content text not null, primary key (workspace_id, file_id, piece));
    create table job_rows (
      workspace_id ${key} not null references workspaces (id), job_id ${key} not null, "row" integer not null,
      outcome ${key} not null, record_id ${key}, change_id ${key}, missing text, message text, errors text, source text,
      undone integer not null,
      primary key (workspace_id, job_id, "row"));
    create index job_rows_failed on job_rows (workspace_id, job_id, "row") where outcome = 'failed';
    create table job_claims (
      workspace_id ${key} not null references workspaces (id), job_id ${key} not null, claim ${key} not null,
      record_id ${key} not null, "row" integer not null,
      primary key (workspace_id, job_id, claim))`)
}
