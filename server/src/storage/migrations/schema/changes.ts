import { type Dialect, statements } from '../migration.ts'

/**
 * The changes feed (decision 21). SQLite numbers a change when it is written. On PostgreSQL it waits in `new_changes`
 * and gets its number after the commit: `clock` and `seq` tell which changes are new, and their order. `change_heads`
 * has the last number (on SQLite only where changes were deleted or a backup was restored), the epoch, which a restored
 * backup changes, and from when on the feed is complete. A workspace without a row there has all its changes.
 *
 * `entry` is the text that readers get, from the kind on. The other columns are those that a statement looks at.
 * `latest_at` is the highest `at` up to this number. The times of the changes are not in order where a clock was set
 * back or the clocks of nodes differ. This one never goes down, so that a binary search finds where `since` begins. The
 * changes that come after one with a later time are in an index: no search over the numbers finds them all.
 */
export function changes({ key, database }: Dialect): string[] {
  const sqlite = database === 'sqlite'
  const columns = `id ${key} not null, kind ${key} not null, resource ${key} not null, entry text not null,
    at ${key} not null`
  const tables = statements(`
    create table changes (
      workspace_id ${key} not null, sequence bigint not null, ${columns}, latest_at ${key} not null,
      primary key (workspace_id, sequence)) ${sqlite ? 'without rowid' : ''};
    create index changes_late on changes (workspace_id, at) where at < latest_at;
    create table change_heads (
      workspace_id ${key} primary key, sequence bigint not null default 0, ${sqlite ? '' : 'snapshot pg_snapshot,'}
      epoch ${key} not null default '', expired_until bigint not null default 0, complete_from ${key})`)
  if (sqlite) return tables
  const unnumbered = `create table new_changes (
    workspace_id ${key} not null, clock xid8 not null default pg_current_xact_id(),
    seq bigint generated always as identity, ${columns}, primary key (workspace_id, clock, seq))`
  return [...tables, unnumbered, numberChanges]
}

const names = 'id, kind, resource, entry, at'

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
      update change_heads h set sequence = began, expired_until = began, epoch = gen_random_uuid(), snapshot = seen,
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
      insert into changes (workspace_id, sequence, ${names}, latest_at)
        select workspace, head.sequence + row_number() over feed as sequence, ${names},
          greatest(max(o.at) over feed, (
            select c.latest_at from changes c where c.workspace_id = workspace and c.sequence = head.sequence))
          from ordered o window feed as (order by o.last, o.seq) order by sequence
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

/** What writing needs: idempotency keys, the indexes dropped during a bulk load, locks and rate limits. */
export function writing({ key, database }: Dialect): string[] {
  return [
    `create table idempotency_keys (
      workspace_id ${key} not null references workspaces (id), owner ${key} not null, key ${key} not null,
      created_at ${key} not null, request text not null, body_hash ${key} not null, status integer not null,
      headers text not null, body text, primary key (workspace_id, owner, key))`,
    'create index idempotency_keys_created on idempotency_keys (workspace_id, created_at)',
    `create table idempotency_steps (
      workspace_id ${key} not null, owner ${key} not null, key ${key} not null, number integer not null,
      result text not null, primary key (workspace_id, owner, key, number),
      foreign key (workspace_id, owner, key) references idempotency_keys (workspace_id, owner, key) on delete cascade)`,
    `create table index_builds (name ${key} primary key, statement text not null)`,
    ...(database === 'postgres' ? [...rateLimits, ...places, holdFields] : []),
  ]
}

/** Only PostgreSQL serves several processes. A single process keeps the windows in memory. */
const rateLimits = [
  `create unlogged table rate_windows (
    key text collate "C" primary key, ends timestamptz not null, spent integer not null) with (fillfactor = 50)`,
  `create function spend_buckets(keys text[], limits integer[], costs integer[], window_ms integer)
    returns table (key text, spent integer, ends_in_ms integer, taken boolean) language plpgsql as $$
    #variable_conflict use_column
    declare
      at timestamptz := clock_timestamp();
      name text;
      total integer;
      until timestamptz;
      place integer;
      names text[] := '{}';
      totals integer[] := '{}';
      ends_in integer[] := '{}';
      has_room boolean := true;
    begin
      for name, total, until in
        insert into rate_windows as w (key, ends, spent)
          select b.k, at + window_ms * interval '1 millisecond', greatest(0, b.cost)
            from unnest(keys, costs) as b (k, cost) order by b.k
          on conflict on constraint rate_windows_pkey do update
          set ends = case when w.ends <= at or w.spent = 0 then excluded.ends else w.ends end,
              spent = greatest(0,
                case when w.ends <= at then 0 else w.spent end + costs[array_position(keys, w.key)])
          returning w.key, w.spent, w.ends
      loop
        place := array_position(keys, name);
        has_room := has_room and total <= limits[place];
        names := names || name;
        totals := totals || total;
        -- A window that another request has begun meanwhile ends after this one would.
        ends_in := ends_in || least(window_ms, ceil(extract(epoch from until - at) * 1000)::integer);
      end loop;
      if not has_room then
        update rate_windows w set spent = greatest(0, w.spent - b.cost)
          from unnest(keys, costs) as b (k, cost) where w.key = b.k;
      end if;
      return query select r.name,
        case when has_room then r.total else r.total - costs[array_position(keys, r.name)] end, r.ends_in, has_room
        from unnest(names, totals, ends_in) as r (name, total, ends_in);
    end $$`,
]

/**
 * Responses that stay open, of all nodes. One workspace counts at a time. The places of a node that is gone are free
 * when their time is over.
 */
const places = [
  `create unlogged table places (
    id text collate "C" primary key, key text collate "C" not null, holder text collate "C" not null,
    until timestamptz not null)`,
  'create index places_key on places (key)',
  `create function take_place(place text, name text, owner text, per_token integer, per_workspace integer, ms integer)
    returns text language plpgsql volatile as $$
    declare
      own integer;
      everyone integer;
    begin
      perform pg_advisory_xact_lock(hashtextextended('places ' || name, 0));
      delete from places p where p.key = name and p.until <= clock_timestamp();
      select count(*) filter (where p.holder = owner), count(*) into own, everyone from places p where p.key = name;
      if own >= per_token then return 'token'; end if;
      if everyone >= per_workspace then return 'workspace'; end if;
      insert into places (id, key, holder, until)
        values (place, name, owner, clock_timestamp() + ms * interval '1 millisecond');
      return null;
    end $$`,
]

/** Writers of records share the lock, a change of the fields takes it alone. The version is read under the lock. */
const holdFields = `create function hold_fields(workspace text, number bigint)
  returns integer language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(number);
      return (select fields_version from workspaces where id = workspace);
    end $$`
