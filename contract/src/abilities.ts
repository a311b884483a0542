export const abilities = ['read', 'create', 'update', 'delete'] as const
export type Ability = (typeof abilities)[number]

export const roles = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]
