export const abilities = ['read', 'create', 'update', 'delete'] as const
export type Ability = (typeof abilities)[number]

export const roles = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

/** What a role may do with records. A token's abilities only narrow this. */
export function roleAllows(role: Role, ability: Ability): boolean {
  return role !== 'viewer' || ability === 'read'
}

/** Owners and admins manage members and custom fields. */
export function roleManages(role: Role): boolean {
  return role === 'owner' || role === 'admin'
}
