import { statements, type Words } from '../words.ts'

/**
 * Work that takes longer than a request. A node runs a job while it has the lease. `job_files` has the uploaded files
 * in compressed pieces, `job_rows` the result of each row and what it changed, for the undo.
 *
 * `job_claims` has the unique values and external ids that the rows of a dry run claim, as hashes, and the record that
 * each row would write. A dry run takes back what it stores after each chunk, so later chunks find here what earlier
 * ones claim.
 */
export function jobs({ key }: Words): string[] {
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
      outcome ${key} not null, record_id ${key}, updated_at ${key}, message text, errors text, source text,
      before text, undone integer not null,
      primary key (workspace_id, job_id, "row"));
    create index job_rows_failed on job_rows (workspace_id, job_id, "row") where outcome = 'failed';
    create index job_rows_record on job_rows (workspace_id, job_id, record_id)
      where outcome in ('created', 'updated');
    create table job_claims (
      workspace_id ${key} not null references workspaces (id), job_id ${key} not null, claim ${key} not null,
      record_id ${key} not null, "row" integer not null,
      primary key (workspace_id, job_id, claim))`)
}
