import type { Migration } from './words.ts'

/**
 * Also returns when each window ends. It has a new name, because nodes of the version before still call
 * spend_from_buckets while an installation is upgraded.
 */
const spendBuckets = `create function spend_buckets(keys text[], limits integer[], window_ms integer)
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
      select bool_and(w.spent < b.most) into has_room
        from unnest(keys, limits) as b (k, most) join rate_windows w on w.key = b.k;
      if has_room then
        update rate_windows w set spent = w.spent + 1 where w.key = any (keys);
      end if;
      -- A window that another request has begun meanwhile ends after this one would.
      return query select w.key, w.spent,
          least(window_ms, ceil(extract(epoch from w.ends - at) * 1000)::integer), has_room
        from unnest(keys) as b (k) join rate_windows w on w.key = b.k;
    end $$`

/** Only PostgreSQL keeps the windows of the rate limits in the database. */
export const rateLimitReset: Migration = {
  name: '0005-rate-limit-reset',
  statements: ({ dialect }) => (dialect === 'postgres' ? [spendBuckets] : []),
}
