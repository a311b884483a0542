import { statements, type Words } from '../words.ts'

/**
 * The changes feed (decision 21). SQLite numbers a change when it is written. On PostgreSQL it waits in `new_changes`
 * and gets its number after the commit: `clock` and `seq` tell which changes are new, and their order. `change_heads`
 * has the last number (on SQLite only where changes were deleted or a backup was restored), the epoch, which a restored
 * backup changes, and from when on the feed is complete. A workspace without a row there has all its changes.
 *
 * `entry` is the text that readers get, from the kind on. The other columns are those that a statement looks at.
 */
export function changes({ key, dialect }: Words): string[] {
  const sqlite = dialect === 'sqlite'
  const columns = `id ${key} not null, kind ${key} not null, resource ${key} not null, at ${key} not null,
    entry text not null`
  const tables = statements(`
    create table changes (
      workspace_id ${key} not null, sequence bigint not null, ${columns},
      primary key (workspace_id, sequence)) ${sqlite ? 'without rowid' : ''};
    create table change_heads (
      workspace_id ${key} primary key, sequence bigint not null default 0, ${sqlite ? '' : 'snapshot pg_snapshot,'}
      epoch ${key} not null default '', pruned bigint not null default 0, complete_from ${key})`)
  if (sqlite) return tables
  const unnumbered = `create table new_changes (
    workspace_id ${key} not null, clock xid8 not null default pg_current_xact_id(),
    seq bigint generated always as identity, ${columns}, primary key (workspace_id, clock, seq))`
  return [...tables, unnumbered, numberChanges]
}

const names = 'id, kind, resource, at, entry'

/**
 * Numbers all changes of a workspace that are committed. The first query takes no lock and finds nothing most of the
 * time. Every query of a volatile function has its own snapshot, so the one after the lock sees what the holder of the
 * lock before has committed.
 *
 * The numbers of transactions are those of one server. A snapshot or a change of a transaction that has not begun yet
 * comes from a dump of another server, and changes made here could count as old. The feed then starts again, as after
 * `kith restore`: readers get 410 and read everything.
 */
const numberChanges = `create function number_changes(workspace text) returns void language plpgsql volatile as $$
  declare
    head change_heads;
    seen pg_snapshot;
    added bigint;
    began bigint;
  begin
    select * into head from change_heads h where h.workspace_id = workspace;
    if found and head.snapshot is not null
      and pg_snapshot_xmax(head.snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
    and not exists (
      select 1 from new_changes c where c.workspace_id = workspace and c.clock >= pg_snapshot_xmax(head.snapshot)
    ) and not exists (
      select 1 from pg_snapshot_xip(head.snapshot) x
      join new_changes c on c.workspace_id = workspace and c.clock = x
    ) then
      return;
    end if;
    insert into change_heads (workspace_id) values (workspace) on conflict do nothing;
    select * into head from change_heads h where h.workspace_id = workspace for update;
    if pg_snapshot_xmax(head.snapshot) > pg_snapshot_xmax(pg_current_snapshot()) or exists (
      select 1 from new_changes c
        where c.workspace_id = workspace and c.clock >= pg_snapshot_xmax(pg_current_snapshot())
    ) then
      delete from changes c where c.workspace_id = workspace;
      with gone as (delete from new_changes c where c.workspace_id = workspace) select pg_current_snapshot() into seen;
      began := greatest(head.sequence, floor(extract(epoch from clock_timestamp()) * 1000));
      update change_heads h set sequence = began, pruned = began, epoch = gen_random_uuid(), snapshot = seen,
        complete_from = to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        where h.workspace_id = workspace;
      return;
    end if;
    with fresh as (
      delete from new_changes c
        where c.workspace_id = workspace and c.clock >= coalesce(pg_snapshot_xmax(head.snapshot), '0'::xid8)
        returning *
    ), late as (
      delete from new_changes c using pg_snapshot_xip(head.snapshot) x
        where c.workspace_id = workspace and c.clock = x
        returning c.*
    ), ordered as (
      select f.*, max(f.seq) over (partition by f.clock) as last
        from (select * from fresh union all select * from late) f
    ), placed as (
      insert into changes (workspace_id, sequence, ${names})
        select workspace, head.sequence + row_number() over (order by o.last, o.seq) as sequence, ${names}
          from ordered o order by sequence
        returning 1
    )
    select count(*), pg_current_snapshot() into added, seen from placed;
    if added > 0 or head.snapshot is null then
      update change_heads h set sequence = h.sequence + added, snapshot = seen where h.workspace_id = workspace;
    end if;
  end $$`

/** Starts the feeds of a dump of another server again before anything is written, while they can be told apart. */
export const restartForeignFeeds = `select number_changes(h.workspace_id) from change_heads h
  where pg_snapshot_xmax(h.snapshot) > pg_snapshot_xmax(pg_current_snapshot())`
