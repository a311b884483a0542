import type { RoleRow } from '@kith/contract/app/workspace'
import { type Permission, permissions, roleMay } from '@kith/contract/permissions'

/** The table of roles, as operations ask it. */
export function listRoles(): RoleRow[] {
  // The keys of the table are its names.
  const names = Object.keys(permissions) as Permission[]
  return names.map((ability) => ({
    ability,
    description: permissions[ability].allows,
    owner: roleMay('owner', ability),
    admin: roleMay('admin', ability),
    member: roleMay('member', ability),
    viewer: roleMay('viewer', ability),
  }))
}
