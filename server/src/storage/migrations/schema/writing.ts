import type { Words } from '../words.ts'

/** What writing needs: idempotency keys, the indexes dropped during a bulk load, locks and rate limits. */
export function writing({ key, dialect }: Words): string[] {
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
    ...(dialect === 'postgres' ? [...rateLimits, holdFields] : []),
  ]
}

/** Only PostgreSQL serves several processes. A single process keeps the windows in memory. */
const rateLimits = [
  `create unlogged table rate_windows (
    key text collate "C" primary key, ends timestamptz not null, spent integer not null) with (fillfactor = 50)`,
  `create function spend_buckets(keys text[], limits integer[], costs integer[], window_ms integer)
    returns table (key text, spent integer, ends_in_ms integer, taken boolean) language plpgsql as $$
    declare
      at timestamptz := clock_timestamp();
      has_room boolean;
    begin
      insert into rate_windows as w (key, ends, spent)
        select k, at + window_ms * interval '1 millisecond', 0 from unnest(keys) k order by k
        on conflict on constraint rate_windows_pkey do update
        set ends = case when w.ends <= at or w.spent = 0 then excluded.ends else w.ends end,
            spent = case when w.ends <= at then 0 else w.spent end;
      select bool_and(w.spent + b.cost <= b.most) into has_room
        from unnest(keys, limits, costs) as b (k, most, cost) join rate_windows w on w.key = b.k;
      if has_room then
        update rate_windows w set spent = greatest(0, w.spent + b.cost)
          from unnest(keys, costs) as b (k, cost) where w.key = b.k;
      end if;
      -- A window that another request has begun meanwhile ends after this one would.
      return query select w.key, w.spent,
          least(window_ms, ceil(extract(epoch from w.ends - at) * 1000)::integer), has_room
        from unnest(keys) as b (k) join rate_windows w on w.key = b.k;
    end $$`,
]

/** Writers of records share the lock, a change of the fields takes it alone. The version is read under the lock. */
const holdFields = `create function hold_fields(workspace text, number bigint)
  returns integer language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(number);
      return (select fields_version from workspaces where id = workspace);
    end $$`
