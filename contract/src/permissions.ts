import { type Ability, type Role, roles } from './abilities.ts'

const everyone: readonly Role[] = roles
const writers: readonly Role[] = ['owner', 'admin', 'member']
const managers: readonly Role[] = ['owner', 'admin']
const owners: readonly Role[] = ['owner']

/** The permissions of each role. Operations check this table, and the application shows it. */
export const permissions = {
  read: { allows: 'read records', roles: everyone },
  create: { allows: 'create records', roles: writers },
  update: { allows: 'update records', roles: writers },
  delete: { allows: 'delete records', roles: writers },
  save_views: { allows: 'save views for themselves', roles: everyone },
  share_views: { allows: 'share views with the workspace', roles: writers },
  make_tokens: { allows: 'make access tokens of their own', roles: everyone },
  see_all_tokens: { allows: 'see and revoke the access tokens of others', roles: managers },
  see_all_jobs: { allows: 'see and manage the imports of others', roles: managers },
  see_all_webhooks: { allows: 'see and manage the webhooks of others', roles: managers },
  manage_comments: { allows: 'delete and restore the comments of others', roles: managers },
  manage_fields: { allows: 'change custom fields', roles: managers },
  manage_members: { allows: 'manage members', roles: managers },
  manage_workspace: { allows: 'change the workspace', roles: managers },
  read_audit_log: { allows: 'read the audit log of the workspace', roles: managers },
  manage_owners: { allows: 'make, change or remove owners', roles: owners },
  manage_billing: { allows: 'manage billing', roles: owners },
  delete_workspace: { allows: 'delete the workspace', roles: owners },
} as const satisfies Readonly<Record<string, { allows: string; roles: readonly Role[] }>> &
  Readonly<Record<Ability, unknown>>

export type Permission = keyof typeof permissions

export function roleMay(role: Role, permission: Permission): boolean {
  return permissions[permission].roles.includes(role)
}
