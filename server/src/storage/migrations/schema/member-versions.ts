import type { Words } from '../words.ts'

/**
 * A version for the members of a workspace, in `record_counts` under `users`: it grows when a member joins, leaves, or
 * changes name or email address. Triggers write it, so no way of writing can forget it. The tags of lists depend on it.
 */
export function memberVersions({ dialect }: Words): string[] {
  return dialect === 'sqlite' ? sqlite : postgres
}

const grow = (rows: string) => `insert into record_counts (workspace_id, resource, slot, live, version) ${rows}
  on conflict (workspace_id, resource, slot) do update set version = record_counts.version + 1;`

const ofMember = (row: 'old' | 'new') => grow(`values (${row}.workspace_id, 'users', 0, 0, 1)`)

/** In order, so that two changes never wait for each other. */
const ofUser = grow(`select workspace_id, 'users', 0, 0, 1 from members where user_id = new.id order by workspace_id`)

const CHANGED = 'old.name <> new.name or old.email <> new.email'

const sqlite = [
  `create trigger members_joined after insert on members begin ${ofMember('new')} end`,
  `create trigger members_left after delete on members begin ${ofMember('old')} end`,
  `create trigger users_changed after update of name, email on users when ${CHANGED} begin ${ofUser} end`,
]

const postgresFunction = (name: string, statement: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${statement} return null; end $$`

const postgres = [
  postgresFunction('count_joined_member', ofMember('new')),
  postgresFunction('count_left_member', ofMember('old')),
  postgresFunction('count_changed_user', ofUser),
  `create trigger members_joined after insert on members for each row execute function count_joined_member()`,
  `create trigger members_left after delete on members for each row execute function count_left_member()`,
  `create trigger users_changed after update of name, email on users for each row when (${CHANGED})
    execute function count_changed_user()`,
]
