import type { Migration } from './words.ts'

/** Who made a workspace, so that the number of them can be limited for each account. Of those that are there it was their first owner. */
export const workspaceMakers: Migration = {
  name: '0014-workspace-makers',
  statements: ({ key }) => [
    `alter table workspaces add column created_by ${key} references users (id) on delete set null`,
    `update workspaces set created_by = (
      select m.user_id from members m where m.workspace_id = workspaces.id and m.role = 'owner'
      order by m.created_at, m.user_id limit 1)`,
    'create index workspaces_created_by on workspaces (created_by)',
  ],
}
