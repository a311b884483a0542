import type { Role } from '@kith/contract/abilities'
import { roles } from '@kith/contract/abilities'

export const roleNames: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
}

/** The roles that a member with this role may give to others. */
export function rolesGivenBy(role: Role): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((one) => one !== 'owner')
}

export function isRole(name: string): name is Role {
  return roles.some((role) => role === name)
}
